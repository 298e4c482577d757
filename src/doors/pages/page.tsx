import type { ComponentChild } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { softwareVersion } from '../../base/root.ts'
import { shorten } from '../../base/unicode.ts'
import type { WebLink } from '../../interface/http/headers.ts'
import { currentAddress, link, publicUrl, type PageRequest, useRequest, RequestContext } from './page-request.ts'
import { iconOf, LOGO, OWN_STYLE } from './assets.ts'
import { LANGUAGE_NAMES, PAGE_LANGUAGES } from './texts.ts'
import { isInColumn, viewName, viewsOf, VocabularyContext, type VocabularyFacts } from './vocabulary-facts.ts'
import { languageName, textOrder } from './language.ts'
import { chooseLanguage } from '../../graph/jskos/names.ts'
import { operatorText, type OperatorTexts } from './site-folder.ts'

/** The version of the software, for reports of mistakes. */
const VERSION = softwareVersion()

/** The parts of a page; all pages share the frame around them. */
export interface HtmlPage {
  /** Plain text, without the name of the site. */
  title: string
  /** 200 by default. */
  status?: number
  /** Plain text, for search engines and previews. */
  description?: string | undefined
  body: ComponentChild
  /** Its permanent address below the root; without one, search engines do not list the page. */
  canonical?: { path: string; query?: Readonly<Record<string, string | undefined>> } | undefined
  /** The same data in other formats: absolute addresses by media type. */
  alternates?: readonly { mediaType: string; href: string }[]
  /** The links of its header `Link`. */
  links?: readonly WebLink[]
  /** The subject of the page as JSON-LD. */
  data?: object | undefined
  /** The vocabulary that the search field searches. */
  vocabulary?: { id: string; name: string } | undefined
  /** The current entry of the navigation. */
  current?: 'docs' | 'sparql' | 'about'
  /** The text that the page has searched for; its filters belong to the form in the head. */
  search?: { text: string }
  /** Names of its scripts. */
  islands?: readonly string[]
  /** Wide screens show its vocabulary beside it, open at a concept or collection if it is about one. */
  column?: { openAt?: string | undefined }
  /** It lacks something that takes long to find, so it is made anew for the next reader. */
  isUnfinished?: boolean
  /** Facts about its vocabulary. */
  facts?: VocabularyFacts | undefined
  /** The request as its components see it, if a view differs from what was sent. */
  request?: PageRequest
}

/** A page, a redirect to another address, or a part of a page for an island. */
export type PageResult = HtmlPage | { location: string } | { part: ComponentChild; request: PageRequest }

/** A page in HTML (HTML Living Standard). */
export function toHtml(request: PageRequest, page: HtmlPage): string {
  return `<!DOCTYPE html>\n${renderToString(
    <RequestContext.Provider value={page.request ?? request}>
      <VocabularyContext.Provider value={page.facts}>
        <PageDocument page={page} />
      </VocabularyContext.Provider>
    </RequestContext.Provider>,
  )}\n`
}

/** A part of a page in HTML. */
export function toPart(request: PageRequest, part: ComponentChild): string {
  return renderToString(<RequestContext.Provider value={request}>{part}</RequestContext.Provider>)
}

const MAX_TITLE = 200
const MAX_DESCRIPTION = 300

function PageDocument({ page }: { page: HtmlPage }) {
  const request = useRequest()
  const { reading, texts, root } = request
  const { config, assets } = request.dependencies
  const title = oneLine(page.title, MAX_TITLE)
  const description = page.description === undefined ? undefined : oneLine(page.description, MAX_DESCRIPTION)
  const { canonical } = page
  const address = canonical && publicUrl(request, canonical.path, canonical.query)
  const icon = iconOf(assets)
  const operatorStyle = assets.get(OWN_STYLE)
  const hasColumn = page.column !== undefined && page.facts !== undefined
  const islands = [
    'completion',
    ...(page.islands ?? []),
    ...(page.facts ? ['content'] : []),
    ...(hasColumn ? ['column'] : []),
  ]
  const main = (
    <main id="content" tabIndex={-1}>
      {page.facts ? <ContentLanguages facts={page.facts} /> : null}
      {page.body}
    </main>
  )
  return (
    <html lang={reading.page}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === config.site.name ? title : `${title} – ${config.site.name}`}</title>
        {description ? <meta name="description" content={description} /> : null}
        <link rel="icon" type={icon.mediaType} href={root + icon.path} />
        <link rel="stylesheet" href={root + assets.get('style.css')!.path} />
        {operatorStyle ? <link rel="stylesheet" href={root + operatorStyle.path} /> : null}
        {/* Browsers show the page only when it is complete: content that moves during parsing disturbs readers. */}
        <link rel="expect" href="#end" {...{ blocking: 'render' }} />
        {address ? <link rel="canonical" href={address} /> : <meta name="robots" content="noindex" />}
        {canonical
          ? PAGE_LANGUAGES.map((lang) => (
              <link
                rel="alternate"
                hreflang={lang}
                href={publicUrl(request, canonical.path, { ...canonical.query, lang })}
              />
            ))
          : null}
        {page.alternates?.map(({ mediaType, href }) => (
          <link rel="alternate" type={mediaType} href={href} />
        ))}
        <meta property="og:site_name" content={config.site.name} />
        <meta property="og:title" content={title} />
        <meta property="og:type" content="website" />
        {address ? <meta property="og:url" content={address} /> : null}
        {description ? <meta property="og:description" content={description} /> : null}
        {page.data ? <JsonLd data={page.data} /> : null}
        {islands.map((name) => (
          <script
            type="module"
            src={root + assets.get(`${name}.js`)!.path}
            // The first that a reader sees is the column as they left it.
            {...(['column', 'content'].includes(name) ? { blocking: 'render' } : {})}
          />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          {texts.skip}
        </a>
        <Header page={page} />
        {hasColumn ? (
          <div class="beside">
            <Column facts={page.facts!} openAt={page.column?.openAt} />
            {main}
          </div>
        ) : (
          main
        )}
        <Footer page={page} />
        <span id="end" hidden />
      </body>
    </html>
  )
}

/** A JSON-LD data block; JSON escapes replace the characters that would end the element. */
function JsonLd({ data }: { data: object }) {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
}

function Header({ page }: { page: HtmlPage }) {
  const request = useRequest()
  const { texts, reading } = request
  const { assets, config } = request.dependencies
  const { site } = config
  const logo = assets.get(LOGO)
  return (
    <header class="site">
      <a class="site-name" href={link(request, '')}>
        {logo ? <img src={request.root + logo.path} alt="" /> : null}
        {site.name}
      </a>
      <nav aria-label={texts.navigation}>
        <a href={link(request, '')}>{texts.vocabularies}</a>
        {places(request).map((place) => (
          <a href={link(request, place)} aria-current={place === page.current ? 'page' : undefined}>
            {texts[place === 'docs' ? 'interface' : place]}
          </a>
        ))}
      </nav>
      <HeaderSearch page={page} />
      <nav class="languages" aria-label={texts.language}>
        {PAGE_LANGUAGES.map((language) => (
          <a
            href={currentAddress(request, { lang: language })}
            hreflang={language}
            lang={language}
            aria-current={language === reading.page ? 'true' : undefined}
          >
            {LANGUAGE_NAMES[language]}
          </a>
        ))}
      </nav>
    </header>
  )
}

/** Entries of the navigation besides the vocabularies. */
function places({ dependencies }: PageRequest): ('docs' | 'sparql')[] {
  return dependencies.sparqlUrl === undefined ? ['docs'] : ['docs', 'sparql']
}

/** The id of the form in the head, for controls elsewhere that belong to it. */
export const SEARCH_FORM = 'search-form'

function HeaderSearch({ page: { vocabulary, search } }: { page: HtmlPage }) {
  const request = useRequest()
  const { texts } = request
  const hint = search ? texts.searchHint : vocabulary ? texts.searchIn(vocabulary.name) : texts.searchAll
  return (
    <form id={SEARCH_FORM} class="search" role="search" action={`${request.root}find`}>
      <label class="hidden" for="query">
        {hint}
      </label>
      <SearchInput placeholder={hint} text={search?.text} />
      {vocabulary ? <input type="hidden" name="voc" value={vocabulary.id} /> : null}
      <ChosenLanguages />
      <button type="submit">{texts.search}</button>
    </form>
  )
}

/** Keeps the languages that the reader has chosen when a form is sent. */
export function ChosenLanguages() {
  const { reading } = useRequest()
  return (
    <>
      {reading.chosen ? <input type="hidden" name="lang" value={reading.chosen} /> : null}
      {reading.content ? <input type="hidden" name="clang" value={reading.content} /> : null}
    </>
  )
}

/** The search field; an island completes the input. */
function SearchInput({ placeholder, text }: { placeholder: string; text: string | undefined }) {
  const request = useRequest()
  return (
    <input
      id="query"
      type="search"
      name="query"
      value={text}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      maxLength={200}
      data-suggest={`${request.root}suggest?language=${request.reading.preferred.join(',')}`}
      data-suggestions={request.texts.suggestions}
      data-concept={link(request, 'concept')}
    />
  )
}

function Footer({ page }: { page: HtmlPage }) {
  const request = useRequest()
  const { texts } = request
  const { site } = request.dependencies.config
  return (
    <footer class="site">
      <p>{`${site.name} · vocabulary-service ${VERSION}`}</p>
      <ul>
        <li>
          <a href={link(request, 'about')} aria-current={page.current === 'about' ? 'page' : undefined}>
            {texts.about}
          </a>
        </li>
        {site.contact ? (
          <li>
            <a href={site.contact}>{texts.contact}</a>
          </li>
        ) : null}
        {site.links.map(({ name, url }) => (
          <li>
            <a href={url}>{name}</a>
          </li>
        ))}
        <li>
          <a href={link(request, 'validate')}>{texts.validate}</a>
        </li>
        <li>
          <a href={`${request.root}openapi.json`}>OpenAPI</a>
        </li>
      </ul>
    </footer>
  )
}

/** For the head of a page. */
function oneLine(text: string, length: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), length)
}

/** A link for each language that a vocabulary has; an island remembers the choice. Nothing if there is no choice. */
function ContentLanguages({ facts: { languages } }: { facts: VocabularyFacts }) {
  const request = useRequest()
  const { texts, reading } = request
  if (languages.length < 2) return null
  const shown = chooseLanguage(languages, reading.preferred)
  const compare = textOrder(reading.page)
  const named = languages
    .map((tag) => ({ tag, name: languageName(tag, reading.page) }))
    .sort((a, b) => compare(a.name, b.name))
  return (
    <details class="content-languages">
      <summary>
        {texts.contentLanguage} <b>{named.find(({ tag }) => tag === shown)?.name}</b>
      </summary>
      <ul>
        {named.map(({ tag, name }) => (
          <li>
            <a
              href={currentAddress(request, { clang: tag })}
              hreflang={tag === 'und' ? undefined : tag}
              aria-current={tag === shown ? 'true' : undefined}
              data-clang={tag}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}

/**
 * The views of a vocabulary beside a page: links, of which the island `column` makes tabs that load the views in part.
 * Narrow screens do not show it, because their pages have the same links.
 *
 * @param at the URI of the concept or collection that the page is about.
 */
function Column({ facts, openAt }: { facts: VocabularyFacts; openAt: string | undefined }) {
  const request = useRequest()
  const { texts, reading } = request
  const { id, revision, hasGroups = false } = facts
  return (
    <nav
      class="column"
      aria-label={texts.browse}
      data-state={`${id} ${reading.page} ${reading.content ?? reading.preferred[0]} ${revision ?? ''}`}
      data-at={openAt}
      data-failed={texts.notLoaded}
      data-again={texts.tryAgain}
    >
      <div>
        {viewsOf(request, hasGroups)
          .filter(isInColumn)
          .map((view) => (
            <a
              href={link(request, `voc/${encodeURIComponent(id)}/${view}`, {
                at: view === 'changes' ? undefined : openAt,
              })}
              data-view={view}
            >
              {viewName(request, view)}
            </a>
          ))}
      </div>
    </nav>
  )
}

/** The way to a page that has one other page above it. */
export function Crumbs({ children }: { children: ComponentChild }) {
  const { texts } = useRequest()
  return (
    <nav class="crumbs" aria-label={texts.breadcrumb}>
      <ol>
        <li>{children}</li>
      </ol>
    </nav>
  )
}

/** The operator's own words for a page; nothing if there are none. */
export function OperatorText({ texts }: { texts: OperatorTexts }) {
  const { reading } = useRequest()
  const content = operatorText(texts, reading.page)
  if (!content) return null
  // The reader of Markdown shows HTML as text and drops unsafe links.
  return <div class="own document" lang={content.lang} dangerouslySetInnerHTML={{ __html: content.html }} />
}
