import { findProposals } from '../../writing/proposals/answer.ts'
import { PROPOSAL_STATES, type ListedProposal, type ProposalState } from '../../writing/proposals/list.ts'
import { givenParameters } from '../../interface/http/parameters.ts'
import { listRequest } from '../../interface/read/request.ts'
import { isPlain, link, type PageRequest, useRequest } from './page-request.ts'
import { readSession, type EditorSession } from './editor-session.ts'
import { Day, formatNumber } from './format.tsx'
import { ConceptLink } from './label.tsx'
import { ChosenLanguages, type HtmlPage } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { Reason } from './proposed.tsx'
import { VocabularyHeading, vocabularyFrame, vocabularyOfPath } from './vocabulary-heading.tsx'

/** Proposals on one page. */
const PAGE = 50

/**
 * GET /voc/{vocid}/proposals for people: the proposals in a state, with the decisions about them. Editors who have
 * logged in see the accounts, and have forms to decide.
 */
export async function proposalsPage(pageRequest: PageRequest): Promise<HtmlPage> {
  const { request, registered, path } = await vocabularyOfPath(pageRequest, 'proposals')
  const { texts, parameters, dependencies, signal, vocid, cookies } = request
  const { editing } = dependencies
  const session = editing && (await readSession(editing, cookies, registered.uri))
  const given = givenParameters({
    status: parameters.get('status'),
    offset: parameters.get('offset'),
    limit: String(PAGE),
  })
  const list = await listRequest(dependencies, { parameters: given, vocid, signal })
  const { total, state, proposals } = await findProposals(dependencies, list)
  const { vocabulary, page } = await vocabularyFrame(
    request,
    registered,
    texts.proposals.title,
    path,
    'prefLabel,notation',
  )
  const done = parameters.get('done')
  return {
    ...page,
    canonical: isPlain(request) ? { path } : undefined,
    body: (
      <>
        <VocabularyHeading vocabulary={vocabulary} view="proposals" />
        <h2>{texts.proposals.title}</h2>
        <nav class="tabs" aria-label={texts.proposals.title}>
          {PROPOSAL_STATES.map((name) => (
            <a
              href={link(request, path, { status: name === 'open' ? undefined : name })}
              aria-current={name === state ? 'page' : undefined}
            >
              {texts.proposals[name]}
            </a>
          ))}
        </nav>
        {done === 'accepted' || done === 'refused' ? (
          <p class="notice" role="status">
            {texts.proposals.decided[done]}
          </p>
        ) : null}
        {total === 0 ? (
          <p>{texts.proposals.none}</p>
        ) : (
          <p class="small">{texts.proposals.count(formatNumber(request, total), total === 1)}</p>
        )}
        {proposals.map((proposal, at) => (
          <ProposalEntry proposal={proposal} session={session} path={path} at={at} />
        ))}
        <Pagination
          part={{ offset: list.page.offset, limit: PAGE, total }}
          path={path}
          query={{ status: parameters.get('status') }}
        />
        {editing && !registered.isSubset ? <LoginForm session={session} path={path} /> : null}
      </>
    ),
  }
}

function ProposalEntry({
  proposal,
  session,
  path,
  at,
}: {
  proposal: ListedProposal
  session: EditorSession | undefined
  path: string
  at: number
}) {
  const request = useRequest()
  const { texts } = request
  const { uri, prefLabel, state, created, account, decision } = proposal
  const by = (name: string | undefined) => (session && name !== undefined ? ` (${name})` : null)
  return (
    <section class="month">
      <h3>
        <ConceptLink concept={{ uri, prefLabel }} />
      </h3>
      <p>
        {created === undefined ? null : (
          <>
            {texts.proposals.proposedOn} <Day date={created} />
            {by(account)}
          </>
        )}
        {decision ? (
          <>
            {' · '}
            {texts.proposals[state]}: <Day date={decision.time.slice(0, 10)} />
            {by(decision.account)}
          </>
        ) : null}
      </p>
      <Reason reason={decision?.reason} />
      {session && state === 'open' ? (
        <form class="entry" method="post" action={link(request, path)}>
          <input type="hidden" name="uri" value={uri} />
          <input type="hidden" name="form" value={session.formToken} />
          <ChosenLanguages />
          <label for={`reason-${at}`}>{texts.reason}</label>
          <input type="text" id={`reason-${at}`} name="reason" maxLength={2000} autocomplete="off" dir="auto" />
          <p>
            <Decide name="accepted" text={texts.proposals.accept} />{' '}
            <Decide name="refused" text={texts.proposals.refuse} />
          </p>
        </form>
      ) : null}
    </section>
  )
}

function Decide({ name, text }: { name: Exclude<ProposalState, 'open'>; text: string }) {
  return (
    <button type="submit" class="action" name="action" value={name}>
      {text}
    </button>
  )
}

/** The form to log in, or to log out. */
function LoginForm({ session, path }: { session: EditorSession | undefined; path: string }) {
  const request = useRequest()
  const { texts } = request
  return (
    <section>
      <h2>{texts.proposals.editors}</h2>
      <form class="entry" method="post" action={link(request, path)}>
        <ChosenLanguages />
        {session ? (
          <>
            <p>{texts.proposals.loggedIn(session.account.username)}</p>
            <input type="hidden" name="form" value={session.formToken} />
          </>
        ) : (
          <>
            <label for="username">{texts.propose.username}</label>
            <input type="text" id="username" name="username" required autocomplete="username" />
            <label for="token">{texts.propose.token}</label>
            <input type="password" id="token" name="token" required autocomplete="current-password" />
          </>
        )}
        <button type="submit" class="action" name="action" value={session ? 'logout' : 'login'}>
          {session ? texts.proposals.logOut : texts.proposals.logIn}
        </button>
      </form>
    </section>
  )
}
