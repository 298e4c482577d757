import { link, publicUrl, type PageRequest, useRequest } from './page-request.ts'
import { OperatorText, type HtmlPage } from './page.tsx'

/** GET /about: purpose, interface, accessibility, contact. */
export function aboutPage(request: PageRequest): Promise<HtmlPage> {
  const { texts, root, dependencies } = request
  const { site, baseUrl } = dependencies.config
  const { aboutTexts: about } = texts
  const hasOwn = dependencies.siteFolder.about.size > 0
  return Promise.resolve({
    title: texts.about,
    description: about.purpose,
    canonical: { path: 'about' },
    current: 'about',
    data: {
      '@context': 'https://schema.org',
      '@type': 'AboutPage',
      name: `${texts.about}: ${site.name}`,
      url: publicUrl(request, 'about'),
      isPartOf: { '@type': 'WebSite', '@id': baseUrl, name: site.name, url: baseUrl },
    },
    body: (
      <div class="prose">
        <h1>{texts.about}</h1>
        {hasOwn ? (
          <OperatorText texts={dependencies.siteFolder.about} />
        ) : (
          <>
            <p class="lead">{about.purpose}</p>
            <p>
              {about.addresses} <a href={link(request, '')}>{texts.allVocabularies}</a>
            </p>
          </>
        )}

        <h2>{texts.forPrograms}</h2>
        <p>{about.interface}</p>
        <ul class="bullets">
          <li>
            <a href={link(request, 'docs')}>{about.described}</a>, <a href={`${root}openapi.json`}>OpenAPI</a>,{' '}
            <a href={`${link(request, 'docs')}#documents`}>{texts.docs.documents}</a>
          </li>
          {dependencies.sparqlUrl === undefined ? null : (
            <li>
              <a href={link(request, 'sparql')}>SPARQL</a>
            </li>
          )}
          <li>
            {about.reconciliation}: <code>{publicUrl(request, 'reconcile')}</code>
          </li>
          <li>
            <a href={`${root}.well-known/void`}>{about.dataset}</a>, <a href={`${root}sitemap.xml`}>{about.sitemap}</a>
          </li>
        </ul>
        <p>{about.licences}</p>

        <h2>{about.accessibility}</h2>
        <p>{about.conformance}</p>
        <p>{about.limits}</p>
        <p>{about.barriers}</p>

        <h2>{about.privacy}</h2>
        <p>{about.noCookies}</p>

        <h2>{texts.contact}</h2>
        <Contact />
        {site.links.length > 0 ? (
          <ul class="bullets">
            {site.links.map(({ name, url }) => (
              <li>
                <a href={url}>{name}</a>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    ),
  })
}

function Contact() {
  const { texts, dependencies } = useRequest()
  const { contact } = dependencies.config.site
  if (contact === undefined) return <p>{texts.aboutTexts.noContact}</p>
  return (
    <p>
      {texts.aboutTexts.writeTo} <a href={contact}>{contact.replace(/^mailto:/, '')}</a>
    </p>
  )
}
