/**
 * The lines of an N-Triples document with blank nodes named by what is said about them, sorted: equal for isomorphic
 * graphs. Works unless two blank nodes look the same and are connected differently; a difference is never hidden,
 * because the lines themselves are compared.
 */
export function canonical(lines: string[]): string[] {
  let names = new Map<string, string>()
  const labels = new Set(lines.flatMap((line) => subjectAndObject(line).filter((term) => term.startsWith('_:'))))
  if (labels.size === 0) return [...lines].sort()
  for (let round = 0; round < 4; round++) {
    const described = new Map<string, string[]>()
    for (const line of lines) {
      for (const label of new Set(subjectAndObject(line).filter((term) => labels.has(term)))) {
        const renamed = rename(line, (term) => (term === label ? '_:this' : (names.get(term) ?? '_:other')))
        described.set(label, [...(described.get(label) ?? []), renamed])
      }
    }
    const keys = [...described].map(([label, about]) => [label, about.sort().join('|')] as const)
    const order = [...new Set(keys.map(([, key]) => key))].sort()
    names = new Map(keys.map(([label, key]) => [label, `_:n${order.indexOf(key)}`]))
  }
  return lines.map((line) => rename(line, (term) => names.get(term) ?? term)).sort()
}

function subjectAndObject(line: string): [string, string] {
  const [, subject = '', object = ''] = /^(\S+) \S+ (.*?) ?\.$/s.exec(line) ?? []
  return [subject, object]
}

function rename(line: string, name: (term: string) => string): string {
  return line.replace(/^_:\S+/, (term) => name(term)).replace(/ (_:\S+) ?\.$/, (_, term: string) => ` ${name(term)} .`)
}
