/** Vocabularies from tables: headings, encodings, references, hierarchies, URIs, mistakes. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { Literal } from '@rdfjs/types'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { writeOds } from 'hucre/ods'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { CONCEPT, CONCEPT_SCHEME, SKOS } from '../../../src/base/namespaces.ts'
import { fromRoot } from '../../../src/base/root.ts'
import { WORDS } from '../../../src/graph/tables/words.ts'
import { temporaryFolder } from '../../folder.ts'
import { readTable, said, saidOf, workbook, type ReadTable } from './read.ts'

const S = 'http://example.org/s'
const N = `${S}/`
const { write } = temporaryFolder()
const read = async (text: string | Buffer, options = {}, name = 'list.csv') =>
  readTable(await write(name, text), { scheme: S, ...options })

/** The URIs of concepts, sorted. */
const conceptsOf = (table: ReadTable) =>
  saidOf(table, 'a').flatMap((line) => (line.endsWith(' skos:Concept') ? line.split(' ')[0]! : []))

const TABLE = 'Code;Bezeichnung;Synonyme;Oberbegriff\n010;Schuhe;;\n011;Stiefel;Boots|Stiefeletten;Schuhe\n'
const BOOTS = ['Boots', 'Stiefeletten']

describe('texts of tables', () => {
  const umlauts = TABLE.replaceAll('Schuhe', 'Füße')
  test.each([
    ['UTF-8', Buffer.from(umlauts)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${umlauts}`)],
    ['UTF-16', Buffer.from(`\ufeff${umlauts}`, 'utf16le')],
    ['UTF-16 without a mark', Buffer.from(umlauts, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\ufeff${umlauts}`, 'utf16le').swap16()],
    ['Windows-1252', Buffer.from(umlauts, 'latin1')],
    ['commas', Buffer.from(umlauts.replaceAll(';', ','))],
    ['tabs', Buffer.from(umlauts.replaceAll(';', '\t'))],
    ['CR LF and quotation marks', Buffer.from(umlauts.replaceAll('\n', '\r\n').replaceAll('Füße', '"Füße"'))],
    ['sep=;', Buffer.from(`sep=;\r\n${umlauts}`)],
    ['rows above the heading', Buffer.from(`My list;;;\n;;;\n${umlauts}`)],
  ])('%s', async (_, content) => {
    const table = await read(content, { language: 'de' })
    expect(table.mistakes).toEqual([])
    expect(saidOf(table, 'prefLabel', N)).toEqual([':010 prefLabel Füße@de', ':011 prefLabel Stiefel@de'])
    expect(saidOf(table, 'altLabel', N)).toEqual(BOOTS.map((label) => `:011 altLabel ${label}@de`))
    expect(saidOf(table, 'broader', N)).toEqual([':011 broader :010'])
    expect(saidOf(table, 'notation', N)).toEqual([':010 notation 010', ':011 notation 011'])
    expect(saidOf(table, 'inScheme', N)).toEqual([`:010 inScheme ${S}`, `:011 inScheme ${S}`])
  })

  test.each([
    ['semicolons, commas in labels', 'notation;prefLabel\n1;"a, b, c"\n2;d, e, f, g, h\n'],
    ['commas, semicolons in labels', 'notation,prefLabel\n1,a; b; c\n2,d; e; f; g; h\n'],
    ['tabs, commas in labels', 'notation\tprefLabel\n1\ta, b, c\n2\td, e, f, g, h\n'],
    ['semicolons, below a title', 'A, list, of, names\nnotation;prefLabel\n1;a, b, c\n2;d, e, f, g, h\n'],
    ['a heading that no field has', 'Wort;prefLabel;Farbe\n1;a, b, c, d;x\n2;d, e, f, g, h, i;\n'],
    ['bars, commas in labels', 'notation|prefLabel\n1|a, b, c\n2|d, e, f, g\n'],
  ])('the delimiter is that of the heading: %s', async (_, text) => {
    expect(saidOf(await read(text), 'prefLabel')).toHaveLength(2)
    expect((await read(text)).minted).toHaveLength(2)
  })

  test('without an extension of their name', async () => {
    const table = await read(TABLE, {}, 'standard input')
    expect(saidOf(table, 'broader', N)).toEqual([':011 broader :010'])
    await expect(read('Once, upon a time\n', {}, 'prose')).rejects.toThrow('unknown format')
  })

  test('line breaks and several columns of one name give several values', async () => {
    const table = await read('prefLabel@en,altLabel@en,altLabel@en,definition@en\nA,"b\nc",d,"two\nlines"\n')
    expect(saidOf(table, 'altLabel', N)).toEqual(['b', 'c', 'd'].map((label) => `:A altLabel ${label}@en`))
    expect(saidOf(table, 'definition', N)).toEqual([':A definition two\nlines@en'])
  })

  test('a type that is no known word is left out', async () => {
    const table = await read('prefLabel,type\nA,constructor\n')
    expect(saidOf(table, 'a', N).filter((line) => line.startsWith(':A '))).toEqual([':A a skos:Concept'])
    expect(table.mistakes.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'warning list.csv!B2: "constructor" is no class; it is not read',
    ])
  })

  test('an open quotation mark: the line of its row', async () => {
    const text = 'notation,prefLabel\r\n1,"A\r\nB"\r\n2,"C\r\n3,D\r\n4,E\r\n'
    await expect(read(text)).rejects.toMatchObject({ position: { line: 4 } })
  })

  test('a member that is unknown has the name of its heading', async () => {
    const { mistakes } = await read('collection uri,prefLabel,member\nhttp://example.org/c,C,x\n')
    expect(mistakes.map(({ message }) => message)).toEqual([
      expect.stringContaining('C2: no concept has the notation, label or URI "x" (member)'),
    ])
  })

  test('cells below no heading are left out', async () => {
    const { mistakes } = await read('notation,prefLabel,\n1,A,x,z\n2,B,,y\n3,C,,\n')
    expect(mistakes.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'warning list.csv!C2: "x" is below no heading; it is not read, like 2 more',
    ])
  })

  test.each(['2026-02-30', '31.02.2026', '20240101', '45000', '202405'])('%s is no date', async (text) => {
    const { mistakes } = await read(`prefLabel,created\nA,${text}\n`)
    expect(mistakes.map(({ message }) => message)).toEqual([
      `list.csv!B2: expected a date such as 2026-01-31, found "${text}"`,
    ])
  })

  test('a date keeps its time of day', async () => {
    const times = ['2026-01-31T12:34:56Z', '2026-01-31T23:59:59.5+01:00', '2026-01-31']
    const { quads, mistakes } = await read(
      `prefLabel,modified\n${times.map((time, at) => `A${at},${time}`).join('\n')}\n`,
    )
    expect(mistakes).toEqual([])
    const dates = quads.filter(({ predicate }) => predicate.value.endsWith('modified')).map(({ object }) => object)
    expect(dates.map((date) => [date.value, (date as Literal).datatype.value.replace(/.*#/, '')])).toEqual([
      [times[0], 'dateTime'],
      [times[1], 'dateTime'],
      [times[2], 'date'],
    ])
    for (const wrong of ['2026-02-30T12:00:00Z', '2026-01-31T25:00:00Z', '2026-01-31Tnoon']) {
      const table = await read(`prefLabel,modified\nA,${wrong}\n`)
      expect(table.mistakes.map(({ message }) => message)).toEqual([expect.stringContaining('expected a date')])
    }
  })

  test('an apostrophe stays between tabs, where no program adds one', async () => {
    const table = await read("prefLabel\tnote\nA\t'-ol\nB\t'tis\n")
    expect(saidOf(table, 'note', N)).toEqual([":A note '-ol", ":B note 'tis"])
  })

  test('an apostrophe before a formula goes', async () => {
    const table = await read("prefLabel,note\nA,'=1+1\nB,''-x\nC,'tis\n")
    expect(saidOf(table, 'note', N)).toEqual([':A note =1+1', ":B note '-x", ":C note 'tis"])
  })
})

describe('headings', () => {
  const languages = [
    ['definition@de', 'de'],
    ['definition_de', 'de'],
    ['Definition (de)', 'de'],
    ['Definition [deutsch]', 'de'],
    ['Definition German', 'de'],
    ['English definition', 'en'],
    ['skos:definition@pt-BR', 'pt-br'],
    ['Definition (optional)', ''],
  ] as const
  test.each(languages)('%s', async (heading, language) => {
    const table = await read(`prefLabel;${heading}\nA;x\n`)
    expect(saidOf(table, 'definition', N)).toEqual([`:A definition x${language && `@${language}`}`])
  })

  test('every word of the table is a heading', async () => {
    for (const [meaning, words] of WORDS) {
      const headings = words.split(', ')
      const cells = headings.map(() => 'http://example.org/x')
      const text = [
        ['prefLabel', ...headings],
        ['A', ...cells],
      ]
        .map((row) => `${row.join('\t')}\n`)
        .join('')
      const { mistakes } = await read(text, {}, 'list.tsv')
      const unread = mistakes.filter(({ message }) => message.includes('no field has the name'))
      expect([meaning, unread]).toEqual([meaning, []])
    }
  })

  test('docs/tables.md has every word', () => {
    const rows = readFileSync(fromRoot('docs/tables.md'), 'utf8').matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)
    expect([...rows].map(([, meaning, words]) => [meaning, words])).toEqual(WORDS)
  })

  test('a name that no field has is a warning with its cell', async () => {
    const { mistakes } = await read('prefLabel,Lieblingsfarbe\nA,rot\n')
    expect(mistakes).toEqual([
      {
        severity: 'warning',
        cell: 'list.csv!B1',
        message: 'list.csv!B1: no field has the name "Lieblingsfarbe"; the column is not read',
      },
    ])
  })

  test('a column has the language of the rows', async () => {
    const table = await read('prefLabel,language,definition,Definition Language Code\nA,de,x,en\n')
    expect(saidOf(table, 'prefLabel', N)).toEqual([':A prefLabel A@de'])
    expect(saidOf(table, 'definition', N)).toEqual([':A definition x@en'])
  })
})

describe('names of concepts', () => {
  test('broader by URI, prefixed name, notation and label, before and after', async () => {
    const table = await read(
      [
        'PREFIX,ex,http://example.org/ex/',
        'uri,notation,prefLabel@en,broader',
        'ex:a,1,Above,',
        'ex:b,2,B,ex:a',
        'ex:c,3,C,http://example.org/ex/a',
        'ex:d,4,D,1',
        'ex:e,5,E,above',
        'ex:f,6,F,"1, 2"',
        'ex:g,7,G,Last',
        'ex:h,8,Last,',
      ].join('\n'),
    )
    expect(table.mistakes).toEqual([])
    expect(saidOf(table, 'broader', 'http://example.org/ex/')).toEqual([
      ':b broader :a',
      ':c broader :a',
      ':d broader :a',
      ':e broader :a',
      ':f broader :a',
      ':f broader :b',
      ':g broader :h',
    ])
  })

  test('all mistakes at once, each with its cell', async () => {
    const { mistakes } = await read(
      'notation,prefLabel@en,broader,created,exactMatch\n1,Boats,,,\n2,Canoes,Boots,tomorrow,boat\n3,Ships,Twin,,\n4,Twin,,,\n5,Twin,,,\n,,1,,\n',
    )
    expect(mistakes.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'violation list.csv!D3: expected a date such as 2026-01-31, found "tomorrow"',
      'violation list.csv!E3: expected a URI, found "boat"',
      'violation list.csv!C7: the concept of row 7 has no URI, no notation and no label',
      'violation list.csv!C3: no concept has the notation, label or URI "Boots" (broader); did you mean "Boats"?',
      'violation list.csv!C4: "Twin" is the name of 2 concepts; write the notation or the URI of one',
    ])
  })
})

describe('URIs of concepts', () => {
  test('come from the notation, else from the id, else from the label, and stay the same', async () => {
    const first = await read('id,notation,prefLabel\n7,A 1,Apples\n8,,Pears\n,,Red plums\n')
    expect(first.minted).toEqual(['its notation', 'its id', 'its label'])
    expect(conceptsOf(first)).toEqual([`${N}8`, `${N}A-1`, `${N}Red-plums`])
    const renamed = await read('id,notation,prefLabel\n7,A 1,Äpfel\n8,,Birnen\n,,Red plums\n')
    expect(conceptsOf(renamed)).toEqual(conceptsOf(first))
  })

  test('end with the text, percent-encoded where an IRI cannot have it', async () => {
    const table = await read('notation\n../x\n"a/b#c?d<e>"\nÄ\n')
    expect(conceptsOf(table)).toEqual([`${N}..%2Fx`, `${N}a%2Fb%23c%3Fd%3Ce%3E`, `${N}Ä`])
  })

  test('are below a scheme that ends in a slash or a number sign', async () => {
    for (const scheme of ['http://example.org/s/', 'http://example.org/s#']) {
      expect(conceptsOf(await read('notation\n1\n', { scheme }))).toEqual([`${scheme}1`])
    }
  })

  test('the same label twice is one concept, with a warning', async () => {
    const { mistakes } = await read('prefLabel\nA\nB\nA\n')
    expect(mistakes.map(({ message }) => message)).toEqual([
      'list.csv!A4: another row has the same label "A"; both are one concept',
    ])
  })

  test.each([
    [
      'labels',
      'prefLabel,definition\nNew York,a city\nNew-York,a breed\n',
      'list.csv!A3: "New-York"',
      '"New York"',
      'A2',
    ],
    ['a notation and a label', 'notation,prefLabel\nA,Eins\n,A\n', 'list.csv!B3: "A"', '"A"', 'A2'],
    ['notations', 'notation,prefLabel\n1 2,Eins\n1-2,Zwei\n', 'list.csv!A3: "1-2"', '"1 2"', 'A2'],
    ['steps', 'Level 1,Level 2\nA,\n,b c\n,b-c\n', 'list.csv!B4: "A/b-c"', '"A/b c"', 'B3'],
  ])('are not the same for several rows: %s', async (what, text, first, other, cell) => {
    const table = await read(text)
    expect(table.mistakes.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      expect.stringMatching(RegExp(`^violation ${first} makes the URI <.*>, as ${other} in list.csv!${cell} does`)),
    ])
    expect(conceptsOf(table)).toHaveLength(what === 'steps' ? 2 : 1)
  })
})

describe('names of languages as headings', () => {
  test.each([
    ['beside a notation', 'Notation;Deutsch;Englisch\n1;Schuhe;Footwear\n'],
    ['without another column', 'Deutsch;Englisch\n1;2\nSchuhe;Footwear\n'],
    ['with a word', 'Notation;German name;English name\n1;Schuhe;Footwear\n'],
    ['with a word behind', 'Notation;Name Deutsch;Name Englisch\n1;Schuhe;Footwear\n'],
  ])('%s are preferred labels', async (_, text) => {
    const table = await read(text)
    expect(table.mistakes).toEqual([])
    const labels = saidOf(table, 'prefLabel').map((line) => line.split(' ').at(-1))
    expect(labels).toEqual(expect.arrayContaining(['Schuhe@de', 'Footwear@en']))
  })

  test('are none beside a preferred label in the language, nor in rows of data', async () => {
    const labelled = await read('notation,prefLabel@en,Englisch\n1,Footwear,yes\n')
    expect(labelled.mistakes.map(({ message }) => message)).toEqual([
      'list.csv!C1: no field has the name "Englisch"; the column is not read',
    ])
    const languages = await read('notation,native\nGerman,Deutsch\nEnglish,English\n')
    expect(conceptsOf(languages)).toEqual([`${N}English`, `${N}German`])
    expect(saidOf(languages, 'prefLabel')).toEqual([])
  })
})

test('labels with semicolons get a warning for the column, with the first cell', async () => {
  const { mistakes } = await read(
    'notation,prefLabel@la,altLabel@en,note@en\n1,Felis catus; Moggy,a;b,x; y\n2,Canis,c &amp; d;,\n3,Lupus; Wolf,e|f,\n',
  )
  expect(mistakes.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    'warning list.csv!B2: "Felis catus; Moggy" is one label, like 1 more below; two names? write |',
    'warning list.csv!C2: "a;b" is one label; two names? write |',
  ])
})

describe('rows of one notation', () => {
  const said = ({ mistakes }: ReadTable) => mistakes.map(({ severity, message }) => `${severity} ${message}`)
  const HINT = '; spreadsheet programs make 1.1 of 1.10: format the column as text'

  test('with two names are a mistake that names both cells, and the first row stays', async () => {
    const table = await read('notation,prefLabel@en,altLabel@en\nA,Boots,Bootees\nA,Shoes,Loafers\n')
    expect(said(table)).toEqual([
      'violation list.csv!A3: the notation A of "Shoes" is that of "Boots" in list.csv!A2, too; give each its own notation; the row is not read',
    ])
    expect(saidOf(table, 'prefLabel', N)).toEqual([':A prefLabel Boots@en'])
    expect(saidOf(table, 'altLabel', N)).toEqual([':A altLabel Bootees@en'])
  })

  test.each([
    ['other languages', 'notation,prefLabel,language\nA,Boots,en\nA,Stiefel,de\n', 2],
    ['the same name', 'notation,prefLabel,altLabel\nA,Boots,x\nA,Boots,y\n', 1],
    ['no other name', 'notation,prefLabel,altLabel\nA,Boots,x\nA,,y\n', 1],
  ])('with %s add up', async (_, text, count) => {
    const table = await read(text)
    expect(said(table)).toEqual([])
    expect(saidOf(table, 'prefLabel')).toHaveLength(count)
  })

  test('below indented columns, too', async () => {
    const table = await read('notation,Level 1,Level 2\n1,Animals,\n1.1,,Cats\n1.1,,Dogs\n')
    expect(said(table)).toEqual([expect.stringContaining(`list.csv!A4: the notation 1.1 of "Dogs"`)])
    expect(said(table)[0]).toContain(HINT)
    expect(saidOf(table, 'broader', N)).toEqual([':1.1 broader :1'])
  })

  test('get a hint if the cell of a workbook is a number', async () => {
    const names = ['A', 'B']
    for (const notations of [
      [1.1, 1.1],
      ['1.1', '1.1'],
    ]) {
      const rows = notations.map((notation, at) => [notation, names[at]!])
      const bytes = await workbook({ name: 'Terms', rows: [['notation', 'prefLabel'], ...rows] })
      const table = await readTable(await write('numbers.xlsx', Buffer.from(bytes)), { scheme: S })
      const [mistake] = table.mistakes
      expect(mistake).toMatchObject({ severity: 'violation', cell: 'Terms!A3' })
      expect(mistake!.message.endsWith(HINT)).toBe(typeof notations[0] === 'number')
    }
  })
})

describe('indented columns', () => {
  const hierarchy = [
    ':Animals/Cats broader :Animals',
    ':Animals/Cats/Siamese broader :Animals/Cats',
    ':Animals/Dogs broader :Animals',
  ]
  test.each([
    ['steps', 'Level 1,Level 2,Level 3\nAnimals,,\n,Cats,\n,,Siamese\n,Dogs,\n'],
    ['whole paths', 'Ebene 1,Ebene 2,Ebene 3\nAnimals,Cats,Siamese\nAnimals,Dogs,\n'],
  ])('%s', async (_, text) => {
    const table = await read(text, { language: 'en' })
    expect(saidOf(table, 'broader', N)).toEqual(hierarchy)
    expect(saidOf(table, 'prefLabel', N)).toContain(':Animals/Cats/Siamese prefLabel Siamese@en')
    expect(table.mistakes).toEqual([])
  })

  test('take notations, and say if a step has nothing above', async () => {
    const table = await read('notation,Level 1,Level 2\n9,,Lost\n1,Animals,\n1.1,,Cats\n')
    expect(saidOf(table, 'broader', N)).toEqual([':1.1 broader :1'])
    expect(table.mistakes.map(({ cell }) => cell)).toEqual(['list.csv!C2'])
  })
})

describe('the convention of SKOS Play', () => {
  test('metadata and prefixes above, properties as headings', async () => {
    const table = await readTable(
      await write(
        'play.csv',
        [
          'ConceptScheme URI,http://example.org/play/,',
          'PREFIX,p,http://example.org/play/',
          'PREFIX,x,http://example.org/x#',
          'dct:title@fr,Vocabulaire,',
          ',,',
          'URI,skos:prefLabel@fr,"skos:altLabel@fr(separator="","")",^skos:broader,skos:note,x:size^^xsd:integer',
          'p:a,Un,"deux,trois",p:b,"""Katze""@de",3',
          'p:b,Quatre,,,,',
        ].join('\n'),
      ),
    )
    expect(table.mistakes).toEqual([])
    const lines = said(table, 'http://example.org/play/')
    expect(lines).toContain(`: prefLabel Vocabulaire@fr`)
    expect(lines).toContain(`: a skos:ConceptScheme`)
    expect(lines.filter((line) => line.startsWith(':a alt'))).toEqual([':a altLabel deux@fr', ':a altLabel trois@fr'])
    expect(lines).toContain(':b broader :a')
    expect(lines).toContain(':a note Katze@de')
    const [size] = table.quads.filter(({ predicate }) => predicate.value === 'http://example.org/x#size')
    expect(size?.object).toMatchObject({ value: '3', datatype: { value: expect.stringContaining('#integer') } })
  })
})

describe('workbooks', () => {
  test('formulas, numbers, dates, merged cells and hidden sheets', async () => {
    const bytes = await workbook(
      {
        name: 'Metadata',
        rows: [
          ['uri', N],
          ['title', 'Test'],
        ],
      },
      {
        name: 'Terms',
        rows: [
          ['My terms', null, null, null],
          ['notation', 'prefLabel@en', 'broader', 'created'],
          [10, 'Ten', null, new Date('2026-01-31T00:00:00Z')],
          [null, null, null, null],
          ['11', null, 'Ten', '31.01.2026'],
          ['12', ' Twelve ', null, null],
          ['13', '#N/A', null, null],
        ],
        cells: new Map([
          ['4,1', { formula: 'CONCATENATE("El","even")', formulaResult: 'Eleven', value: 'Eleven', type: 'formula' }],
        ]),
        merges: [{ startRow: 4, startCol: 2, endRow: 5, endCol: 2 }],
      },
      {
        name: 'Old',
        hidden: true,
        rows: [
          ['notation', 'prefLabel@en'],
          ['99', 'Hidden'],
        ],
      },
    )
    const table = await readTable(await write('terms.xlsx', Buffer.from(bytes)))
    const { quads, mistakes } = table
    expect(quads.filter(({ object }) => object.value === CONCEPT_SCHEME)).toHaveLength(1)
    expect(quads.filter(({ object }) => object.value === CONCEPT)).toHaveLength(4)
    expect(saidOf(table, 'prefLabel', N)).toEqual([
      ': prefLabel Test',
      ':10 prefLabel Ten@en',
      ':11 prefLabel Eleven@en',
      ':12 prefLabel Twelve@en',
    ])
    expect(saidOf(table, 'broader', N)).toEqual([':11 broader :10', ':12 broader :10'])
    const dates = quads.filter(({ predicate }) => predicate.value.endsWith('created'))
    expect(dates.map(({ object }) => object.value)).toEqual(['2026-01-31', '2026-01-31'])
    expect(mistakes.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'warning Old!A1: the sheet is hidden and not read',
      'violation Terms!B7: the formula gives the error #N/A',
      'warning Terms!A3: the notation 10 is a number in the workbook, which cannot begin with 0; if it should, format the column as text',
    ])
  })

  test('a number with a format of zeros is what people see', async () => {
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel'],
        [10, 'Ten'],
      ],
      cells: new Map([['1,0', { value: 10, type: 'number', style: { numFmt: '000' } }]]),
    })
    const table = await readTable(await write('zeros.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(saidOf(table, 'notation', N)).toEqual([':010 notation 010'])
    expect(table.mistakes).toEqual([])
  })

  test('merged cells have the value that people see, downwards and across', async () => {
    const style = { numFmt: '000' }
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel', 'altLabel', 'note'],
        [1, 'A', 7, null],
        [2, 'B', null, null],
        [-3, 'C', 'x', null],
        [4, 'D', null, null],
      ],
      cells: new Map([
        ['1,2', { value: 7, type: 'number', style }],
        ['3,0', { value: -3, type: 'number', style }],
      ]),
      merges: [
        { startRow: 1, startCol: 2, endRow: 2, endCol: 2 },
        { startRow: 3, startCol: 2, endRow: 4, endCol: 3 },
      ],
    })
    const table = await readTable(await write('merged.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(saidOf(table, 'altLabel', N)).toEqual([
      ':-003 altLabel x',
      ':1 altLabel 007',
      ':2 altLabel 007',
      ':4 altLabel x',
    ])
  })

  test('a heading of two rows says nothing of the vocabulary', async () => {
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel', null],
        [null, 'prefLabel@de', 'prefLabel@en'],
        ['1', 'eins', 'one'],
      ],
      merges: [
        { startRow: 0, startCol: 0, endRow: 1, endCol: 0 },
        { startRow: 0, startCol: 1, endRow: 0, endCol: 2 },
      ],
    })
    const table = await readTable(await write('two-rows.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(saidOf(table, 'prefLabel', N)).toEqual([':1 prefLabel eins@de', ':1 prefLabel one@en'])
    expect(saidOf(table, 'notation', N)).toEqual([':1 notation 1'])
  })

  test('a formula without a value is a warning', async () => {
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel', 'note'],
        ['1', 'A', null],
      ],
      cells: new Map([['1,2', { formula: '1+1', value: null, type: 'formula' }]]),
    })
    const { mistakes } = await readTable(await write('formula.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(mistakes.map(({ severity, cell }) => [severity, cell])).toEqual([['warning', 'Terms!C2']])
  })

  test('sheets with a chart alone are left out', async () => {
    const rows = [
      ['notation', 'prefLabel'],
      ['1', 'A'],
    ]
    const files = unzipSync(await workbook({ name: 'Chart', rows }, { name: 'Terms', rows }))
    const relations = 'xl/_rels/workbook.xml.rels'
    const asChart = strFromU8(files[relations]!).replace('/worksheet"', '/chartsheet"')
    const bytes = zipSync({ ...files, [relations]: strToU8(asChart) })
    const table = await readTable(await write('chart.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(saidOf(table, 'prefLabel', N)).toEqual([':1 prefLabel A'])
  })

  test('a number with the format of a date that no date has', async () => {
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel', 'created'],
        ['1', 'One', 202601311200],
      ],
      cells: new Map([['1,2', { value: 202601311200, type: 'number', style: { numFmt: 'yyyy-mm-dd' } }]]),
    })
    const { mistakes } = await readTable(await write('no-date.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(mistakes).toEqual([expect.objectContaining({ severity: 'violation', cell: 'Terms!C2' })])
  })

  test('a mistake in a cell is told of the workbook, not of its form', async () => {
    const statement = `<${N}%zz> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> .`
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel', 'statements'],
        ['1', 'One', statement],
      ],
    })
    const file = await write('statements.xlsx', Buffer.from(bytes))
    await expect(prepareVocabulary([file], { scheme: S })).rejects.toThrow(/^statements\.xlsx: .*%zz/)
  })

  test('of OpenDocument', async () => {
    const rows = [
      ['Kennung', 'Bezeichnung (de)', 'Oberbegriff'],
      ['01', 'Schuhe', null],
      ['02', 'Stiefel', 'Schuhe'],
    ]
    const bytes = await writeOds({ sheets: [{ name: 'Liste', rows }] })
    const table = await readTable(await write('list.ods', Buffer.from(bytes)), { scheme: S })
    expect(saidOf(table, 'broader', N)).toEqual([':02 broader :01'])
    expect(saidOf(table, 'prefLabel', N)).toEqual([':01 prefLabel Schuhe@de', ':02 prefLabel Stiefel@de'])
  })

  test('concepts and collections on sheets of their own', async () => {
    const bytes = await workbook(
      {
        name: 'Concepts',
        rows: [
          ['notation', 'prefLabel@en'],
          ['1', 'One'],
          ['2', 'Two'],
        ],
      },
      {
        name: 'Collections',
        rows: [
          ['uri', 'prefLabel@en', 'member'],
          [`${N}all`, 'All', '1|Two'],
        ],
      },
    )
    const table = await readTable(await write('groups.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(saidOf(table, 'member', N)).toEqual([':all member :1', ':all member :2'])
    expect(conceptsOf(table)).toEqual([`${N}1`, `${N}2`])
    expect(saidOf(table, 'a', N)).toContain(':all a skos:Collection')
  })
})

describe('which row is the heading', () => {
  const NAMES = [
    'skos:Concept',
    null,
    'skos:prefLabel',
    'skos:definition',
    'skos:broader,\nskos:broaderTransitive',
    'skos:note',
  ]
  const WORDS_OF_TEMPLATE = [
    'Concept IRI*',
    'Language Code*',
    'Preferred Label*',
    'Definition*',
    'Parent IRIs',
    'Remarks for us',
  ]
  const DUTY = ['Required', 'Required', 'Required', 'Required', 'Optional', 'Optional']
  const DATA = [
    ['pl:1', 'en', 'flower', 'A part', null, 'x'],
    ['pl:1', 'de', 'Blüte', 'Ein Teil', null, null],
    ['pl:2', 'en', 'petal', 'A leaf', 'pl:1 (flower, or Blüte)', null],
    ['pl:3', 'en', 'stamen', 'Pollen', 'pl:1 (flower), pl:2 (petal)', null],
  ]
  const prefixes = {
    name: 'Prefixes',
    rows: [
      ['Prefix', 'Namespace'],
      ['pl', N],
    ],
  }
  const scheme = {
    name: 'Concept Scheme',
    rows: [
      ['Concept Scheme (read-only)', null, null, null],
      ['Field', 'Value', 'Description', 'Meaning'],
      ['Vocabulary IRI', N, 'IRI of this vocabulary', 'skos:ConceptScheme'],
      ['Prefix', 'pl', 'Prefix for short names', null],
      ['Title', 'Plant parts', 'Title of the vocabulary', 'skos:prefLabel'],
    ],
  }
  const HIERARCHY = [':2 broader :1', ':3 broader :1', ':3 broader :2']

  test.each<[string, (string | null)[][]]>([
    ['names of properties above', [['Concepts'], NAMES, DUTY, WORDS_OF_TEMPLATE]],
    ['names of properties right above', [NAMES, WORDS_OF_TEMPLATE]],
    ['names of properties below', [WORDS_OF_TEMPLATE, NAMES, DUTY]],
    ['names in full', [NAMES.map((name) => name?.replaceAll('skos:', SKOS) ?? null), WORDS_OF_TEMPLATE]],
    ['the heading twice', [WORDS_OF_TEMPLATE, ['URI', 'Sprache', 'Bezeichnung', 'Definition', 'broader', null]]],
  ])('%s: the words are the heading, and nothing of the rest is data', async (_, above) => {
    const bytes = await workbook(scheme, { name: 'Concepts', rows: [...above, ...DATA] }, prefixes)
    const table = await readTable(await write('template.xlsx', Buffer.from(bytes)))
    expect(conceptsOf(table)).toEqual([1, 2, 3].map((nth) => `${N}${nth}`))
    expect(saidOf(table, 'broader', N)).toEqual(HIERARCHY)
    expect(saidOf(table, 'prefLabel', N)).toEqual([
      ': prefLabel Plant parts',
      ':1 prefLabel Blüte@de',
      ':1 prefLabel flower@en',
      ':2 prefLabel petal@en',
      ':3 prefLabel stamen@en',
    ])
    expect(table.mistakes.filter(({ severity }) => severity === 'violation')).toEqual([])
    // A word that no field has means what the name of the property says.
    if (above.some((row) => String(row[5]).endsWith('note'))) {
      expect(saidOf(table, 'note', N)).toEqual([':1 note x@en'])
    }
  })

  test('names of properties alone are the heading', async () => {
    const table = await read('skos:notation,skos:prefLabel@en,skos:broader\n1,Title,\n2,Notes,1\n')
    expect(conceptsOf(table)).toEqual([`${N}1`, `${N}2`])
    expect(saidOf(table, 'broader', N)).toEqual([':2 broader :1'])
  })

  test('names of properties give words their language', async () => {
    const table = await read('skos:notation,skos:prefLabel@fr\nCode,Bezeichnung\n1,Un\n')
    expect(saidOf(table, 'prefLabel', N)).toEqual([':1 prefLabel Un@fr'])
  })

  test('a column of URIs goes before more columns without', async () => {
    const table = await read(
      `Name,Notes,Definition\nURI,Name,Farbe\n${N}a,A,red\n${N}b,B,\n`.replace('Farbe', 'Lieblingsfarbe'),
    )
    expect(conceptsOf(table)).toEqual([`${N}a`, `${N}b`])
  })

  test('rows below the heading that begin with a word for a column are data', async () => {
    const table = await read('uri,prefLabel,definition\nsubject,Subject,A topic\ntitle,Title,A name\n')
    expect(conceptsOf(table)).toEqual([`${N}subject`, `${N}title`])
  })

  test('a row with the URI of a concept is data, even if all else in it is a URI or a word for a column', async () => {
    const table = await read(
      `uri,type,prefLabel@en,inScheme,topConceptOf\n${N}a,skos:Concept,concept 1,${N},${N}\n${N}b,skos:Concept,Title,${N},${N}\n`,
    )
    expect(conceptsOf(table)).toEqual([`${N}a`, `${N}b`])
  })

  test('a row of a table about words for columns is data', async () => {
    const table = await read(
      'notation,prefLabel,altLabel,broader\n0,Term,,\n1,Subject,keyword,Term\n2,Title,Name,Term\n',
    )
    expect(conceptsOf(table)).toEqual([`${N}0`, `${N}1`, `${N}2`])
    expect(table.mistakes).toEqual([])
  })

  test('a sheet about the vocabulary is read without a sheet of collections, and Prefix there is a field', async () => {
    const bytes = await workbook(
      { ...scheme, name: 'About' },
      { name: 'Terms', rows: [WORDS_OF_TEMPLATE, ...DATA] },
      prefixes,
    )
    const table = await readTable(await write('two.xlsx', Buffer.from(bytes)))
    expect(saidOf(table, 'prefLabel', N)).toContain(': prefLabel Plant parts')
    expect(said(table, N)).toContain(': a skos:ConceptScheme')
    expect(conceptsOf(table)).toHaveLength(3)
    const prefix = table.quads.filter(({ predicate }) => predicate.value.endsWith('preferredNamespacePrefix'))
    expect(prefix.map(({ object }) => object.value)).toEqual(['pl'])
    expect(table.mistakes.filter(({ severity }) => severity === 'violation')).toEqual([])
  })

  test('a sheet of names and values declares prefixes with a namespace', async () => {
    const bytes = await workbook(
      {
        name: 'About',
        rows: [
          ['uri', N],
          ['title', 'T'],
          ['PREFIX', 'pl', N],
        ],
      },
      { name: 'Terms', rows: [WORDS_OF_TEMPLATE, ...DATA] },
    )
    const table = await readTable(await write('prefix.xlsx', Buffer.from(bytes)))
    expect(conceptsOf(table)).toHaveLength(3)
  })

  test('a notation or URI with the label behind it names a concept, and concepts name their collections', async () => {
    const bytes = await workbook(
      {
        name: 'Concepts',
        rows: [
          ['notation', 'prefLabel', 'broader', 'exactMatch', 'member of'],
          ['1', 'Shoes', null, 'http://example.org/x (Shoes)', 'Footwear'],
          ['2', 'Boots (high)', '1 (Shoes)', null, `${N}all (everything)`],
          ['3', 'Wellingtons', 'Boots (high)', null, 'Foodwear'],
        ],
      },
      {
        name: 'Collections',
        rows: [
          ['uri', 'prefLabel'],
          [`${N}feet`, 'Footwear'],
          [`${N}all`, 'Everything'],
        ],
      },
    )
    const table = await readTable(await write('labels.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(saidOf(table, 'broader', N)).toEqual([':2 broader :1', ':3 broader :2'])
    expect(saidOf(table, 'exactMatch', N)).toEqual([':1 exactMatch http://example.org/x'])
    expect(saidOf(table, 'member', N)).toEqual([':all member :2', ':feet member :1'])
    expect(table.mistakes.map(({ message }) => message)).toEqual([
      'Concepts!E4: there is no collection "Foodwear" here; did you mean "Footwear"?',
    ])
  })
})

describe('what people see in a workbook', () => {
  /** A workbook with some of its parts changed. */
  const changed = (bytes: Uint8Array, change: (files: Record<string, Uint8Array>) => Record<string, Uint8Array>) =>
    Buffer.from(zipSync(change(unzipSync(bytes))))
  const SHEET = 'xl/worksheets/sheet1.xml'
  const XLSX_ROWS = [
    ['notation', 'prefLabel@ja'],
    ['A', '東京'],
  ]

  test.each<[number, string, string]>([
    [33.1, '0.0', '33.1'],
    [33.1, '0.00', '33.10'],
    [1.5, '00.00', '01.50'],
    [7, '"A"000', 'A007'],
    [7, '000', '007'],
    [0.125, '0.0%', '12.5%'],
    [12345, '#,##0', '12,345'],
    [-3, '0;(0)', '(3)'],
    [0.1 + 0.2, 'General', '0.3'],
    [4006381333931, 'General', '4006381333931'],
    [5, ';;;', '5'],
  ])('the number %s in the format %s', async (value, numFmt, shown) => {
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel'],
        [value, 'A'],
      ],
      cells: new Map([['1,0', { value, type: 'number', style: { numFmt } }]]),
    })
    const table = await readTable(await write('number.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(saidOf(table, 'notation').map((line) => line.split(' notation ')[1])).toEqual([shown])
  })

  test('numbers that differ only in their format are different notations', async () => {
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel', 'broader'],
        [33.1, 'contracts', null],
        [33.1, 'courts', 33.1],
      ],
      cells: new Map([['2,0', { value: 33.1, type: 'number', style: { numFmt: '0.00' } }]]),
    })
    const table = await readTable(await write('decimals.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(conceptsOf(table)).toEqual([`${N}33.1`, `${N}33.10`])
    // Only a number without a format may have lost a zero.
    expect(table.mistakes.map(({ cell: place }) => place)).toEqual(['Terms!A2'])
    expect(saidOf(table, 'broader', N)).toEqual([':33.10 broader :33.1'])
  })

  const cell = (text: string, attributes = 'office:value-type="string"') =>
    `<table:table-cell ${attributes}>${text}</table:table-cell>`
  const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
  const spreadsheet = async (table: string, more: Record<string, Uint8Array> = {}, styles = '') =>
    changed(await writeOds({ sheets: [{ name: 'Terms', rows: [['x']] }] }), (files) => ({
      ...files,
      'content.xml': strToU8(
        `<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${table}</office:spreadsheet></office:body></office:document-content>`,
      ),
      ...more,
    }))
  const HEADING = row(cell('<text:p>notation</text:p>'), cell('<text:p>prefLabel</text:p>'))
  const number = (value: string, shown: string) =>
    cell(
      `<office:annotation><text:p>9</text:p></office:annotation><text:p>${shown}</text:p>`,
      `office:value-type="float" office:value="${value}"`,
    )

  test('OpenDocument: numbers as they are shown, no readings, groups of rows, parts that nobody reads', async () => {
    const file = await spreadsheet(
      `<table:table table:name="Terms"><table:table-header-rows>${HEADING}</table:table-header-rows>${row(number('33.1', '33,10'), cell('<text:p><text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby></text:p>'))}<table:table-row-group>${row(number('7', '7'), cell('<text:p>seven</text:p>'))}</table:table-row-group></table:table>`,
      { 'Configurations2/accelerator/current.xml': new Uint8Array(), 'meta.xml': strToU8('<broken') },
    )
    const table = await readTable(await write('shown.ods', file), { scheme: S })
    expect(saidOf(table, 'notation').map((line) => line.split(' notation ')[1])).toEqual(['33,10', '7'])
    expect(saidOf(table, 'prefLabel').map((line) => line.split(' prefLabel ')[1])).toEqual(['東京', 'seven'])
    // Only the number that stands there as a number may have lost zeros.
    expect(table.mistakes.map(({ cell: place }) => place)).toEqual(['Terms!A3'])
  })

  test('of OpenDocument, too: hidden sheets are left out, hidden rows and columns are read', async () => {
    const data = (notation: string) => row(cell(`<text:p>${notation}</text:p>`), cell(`<text:p>${notation}</text:p>`))
    const hidden = data('B').replace('<table:table-row', '<table:table-row table:visibility="collapse"')
    const file = await spreadsheet(
      `<table:table table:name="Old" table:style-name="ta2">${HEADING}${data('X')}</table:table><table:table table:name="Terms" table:style-name="ta1"><table:table-column table:number-columns-repeated="1"/><table:table-column table:visibility="collapse"/>${HEADING}${data('A')}${hidden}</table:table>`,
      {},
      '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style><style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>',
    )
    const table = await readTable(await write('hidden.ods', file), { scheme: S })
    expect(conceptsOf(table)).toEqual([`${N}A`, `${N}B`])
    expect(table.mistakes.map(({ message }) => message)).toEqual([
      'Old!A1: the sheet is hidden and not read',
      'Terms!A3: the row is hidden; it is read',
      'Terms!B1: the column is hidden; it is read',
    ])
  })

  test('hidden rows and columns are read, with a warning', async () => {
    const bytes = await workbook({
      name: 'Terms',
      rows: [
        ['notation', 'prefLabel', 'note'],
        ['1', 'A', 'x'],
        ['2', 'B', 'y'],
        ['3', 'C', null],
      ],
      rowDefs: new Map([
        [1, { hidden: true }],
        [3, { hidden: true }],
      ]),
      columns: [{}, {}, { hidden: true }],
    })
    const table = await readTable(await write('hidden.xlsx', Buffer.from(bytes)), { scheme: S })
    expect(conceptsOf(table)).toHaveLength(3)
    expect(saidOf(table, 'note', N)).toEqual([':1 note x', ':2 note y'])
    expect(table.mistakes.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'warning Terms!A2: the row is hidden; it is read, like 1 more',
      'warning Terms!C1: the column is hidden; it is read',
    ])
  })

  test('phonetic readings are no part of a text', async () => {
    const reading = '<rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/>'
    const bytes = await workbook({ name: 'Terms', rows: XLSX_ROWS })
    const inside = changed(bytes, (files) => {
      const sheet = strFromU8(files[SHEET]!).replace(
        /(<c r="B2"[^>]*?) t="s"([^>]*)><v>\d+<\/v>/,
        `$1 t="inlineStr"$2><is><t>東京</t>${reading}</is>`,
      )
      expect(sheet).toContain(reading)
      return { ...files, [SHEET]: strToU8(sheet) }
    })
    const shared = changed(bytes, (files) => {
      const strings = strFromU8(files['xl/sharedStrings.xml']!).replace('東京</t>', `東京</t>${reading}`)
      expect(strings).toContain(reading)
      return { ...files, 'xl/sharedStrings.xml': strToU8(strings) }
    })
    for (const content of [inside, shared]) {
      const table = await readTable(await write('readings.xlsx', content), { scheme: S })
      expect(saidOf(table, 'prefLabel', N)).toEqual([':A prefLabel 東京@ja'])
    }
  })

  test('parts that nobody reads may be empty or damaged, others not', async () => {
    const bytes = await workbook({ name: 'Terms', rows: XLSX_ROWS })
    const rels =
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments" Target="../comments1.xml"/></Relationships>'
    const odd = changed(bytes, (files) => ({
      ...files,
      'xl/worksheets/_rels/sheet1.xml.rels': strToU8(rels),
      'xl/comments1.xml': strToU8('<comments><a'),
      'xl/drawings/drawing1.xml': new Uint8Array(),
      'docProps/core.xml': new Uint8Array(),
      'xl/theme/theme1.xml': strToU8('<'),
    }))
    expect(conceptsOf(await readTable(await write('odd.xlsx', odd), { scheme: S }))).toEqual([`${N}A`])
    for (const content of [new Uint8Array(), unzipSync(bytes)[SHEET]!.subarray(0, -20)]) {
      const damaged = changed(bytes, (files) => ({ ...files, [SHEET]: content }))
      await expect(readTable(await write('damaged.xlsx', damaged), { scheme: S })).rejects.toThrow(
        'the workbook is damaged: xl/worksheets/sheet1.xml cannot be read.',
      )
    }
  })

  test('a line break in a field with one value is a space', async () => {
    const table = await read(
      'prefLabel@en,altLabel@en,created\n"tools and\nMachines","a\nb","2026-01-31\n"\n"zinc \r\n  alloys",,\n',
    )
    expect(saidOf(table, 'prefLabel', N)).toEqual([
      ':tools-and-Machines prefLabel tools and Machines@en',
      ':zinc-alloys prefLabel zinc alloys@en',
    ])
    expect(saidOf(table, 'altLabel', N)).toHaveLength(2)
    expect(table.mistakes).toEqual([])
    // Lines with languages of their own are several values.
    const tagged = await read('notation,prefLabel\n1,"Cat@en\nChat@fr"\n')
    expect(saidOf(tagged, 'prefLabel', N)).toEqual([':1 prefLabel Cat@en', ':1 prefLabel Chat@fr'])
    const steps = await read('Level 1,Level 2\n"A\nB",\n,C\n')
    expect(saidOf(steps, 'prefLabel', N)).toEqual([':A-B prefLabel A B', ':A-B/C prefLabel C'])
  })
})

describe('options of SKOS Play', () => {
  const play = (heading: string, ...rows: string[]) =>
    [`Anything,${N}`, `PREFIX,w,${N}`, 'PREFIX,s,http://schema.org/', heading, ...rows].join('\n')
  const names = ({ quads }: ReadTable) =>
    quads.flatMap(({ subject, predicate, object }) =>
      predicate.value === 'http://schema.org/name' ? [`${subject.value.replace(N, ':')} ${object.value}`] : [],
    )

  test.each(['C', 's:author', 'c'])(
    'subjectColumn %s: the statement is about the resource in that column',
    async (column) => {
      const table = await read(
        play(
          `URI,skos:prefLabel@en,s:author,"s:name(subjectColumn=""${column}"")"`,
          'w:1,Bridge,w:ann,Ann',
          'w:2,Road,,Bo',
          'w:3,Way,w:a|w:b,Cy',
        ),
        { scheme: undefined },
      )
      expect(names(table)).toEqual([':ann Ann', ':a Cy', ':b Cy'])
      expect(table.mistakes.map(({ message }) => message)).toEqual([
        'list.csv!D6: expected a URI in list.csv!C6, which the statement is about',
      ])
    },
  )

  test('separator, and options that nobody knows: the column is not read', async () => {
    const table = await read(
      play(
        'URI,skos:prefLabel@en,"skos:altLabel@en(separator="","")","s:name(lookupColumn=""B"")"',
        'w:1,Bridge,"a, b",Road',
      ),
      { scheme: undefined },
    )
    expect(saidOf(table, 'altLabel', N)).toEqual([':1 altLabel a@en', ':1 altLabel b@en'])
    expect(names(table)).toEqual([])
    expect(table.mistakes.map(({ message }) => message)).toEqual([
      'list.csv!D4: the option lookupColumn is not known; the column is not read',
    ])
  })

  test('nodes and lists in the syntax of Turtle are not read', async () => {
    const table = await read(
      play(
        'URI,skos:prefLabel@en,skos:altLabel@en,s:name',
        'w:1,Bridge,(w:2 w:3),"[ a s:Thing ; s:name ""x"" ]"',
        'w:2,Road,(a road),[sic]',
      ),
      { scheme: undefined },
    )
    expect(saidOf(table, 'altLabel', N)).toEqual([':2 altLabel (a road)@en'])
    expect(names(table)).toEqual([':2 [sic]'])
    expect(table.mistakes.map(({ message }) => message)).toEqual([
      'list.csv!C5: a node or a list in the syntax of Turtle is not read',
      'list.csv!D5: a node or a list in the syntax of Turtle is not read',
    ])
  })

  test.each(['Anything', 'Title', 'Source', 'Vocabulary', 'ConceptScheme URI'])(
    'the scheme is in B1 below %s',
    async (name) => {
      const text = play('URI,skos:prefLabel@en', 'w:1,Bridge').replace('Anything', name)
      const table = await read(text, { scheme: undefined })
      expect(said(table, N)).toEqual([
        ': a skos:ConceptScheme',
        ':1 a skos:Concept',
        ':1 inScheme :',
        ':1 prefLabel Bridge@en',
      ])
      expect(table.quads.filter(({ subject }) => subject.value === N)).toHaveLength(1)
    },
  )

  test('without the names of properties, a name that no field has is needed', async () => {
    const table = await read(`Source,http://example.org/source\nURI,Label\n${N}1,Bridge\n`)
    expect(table.quads.filter(({ predicate }) => predicate.value.endsWith('/source'))).toHaveLength(1)
    expect(saidOf(await read(`My list,${N}\nnotation,Label\n1,A\n`, { scheme: undefined }), 'inScheme', N)).toEqual([
      ':1 inScheme :',
    ])
  })
})
