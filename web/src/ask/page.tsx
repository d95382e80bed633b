import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { post, type Schemas } from '../api/client'
import { Empty, ErrorState, Loading, Page, Section } from '../ui/page'
import { Found } from './found'
import { ModelAnswer } from './model'
import { PassageView } from './passage'
import { Relationships } from './relationships'

/** AskPage answers a question with the passages that do, each with its document and its place. The address holds the question. */
export default function AskPage() {
  const [, go] = useLocation()
  const asked = new URLSearchParams(useSearch()).get('q') ?? ''
  const ask = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    const q = String(new FormData(e.currentTarget).get('q')).trim()
    if (q) go('/ask?q=' + encodeURIComponent(q))
  }
  return (
    <Page title={asked || 'Ask'}>
      <form role="search" className="search" onSubmit={ask} key={asked}>
        <input name="q" type="search" aria-label="Your question" placeholder="What is …?" defaultValue={asked} autoFocus={!asked} maxLength={1000} />
        <button className="primary">Ask</button>
      </form>
      {asked ? <Answer key={asked} asked={asked} /> : <Empty title="Ask something that the documents may say.">The answer is the passage that says it, in the words of the document, with its place.</Empty>}
    </Page>
  )
}

function Answer({ asked }: { asked: string }) {
  const answer = useQuery({ queryKey: ['ask', asked], queryFn: ({ signal }) => post<Schemas['AskAnswer']>('/query/ask', { question: asked, limit: 10 }, signal) })
  if (answer.isPending) return <Loading what="the answer" />
  if (!answer.data) return <ErrorState error={answer.error} retry={() => void answer.refetch()} />
  const a = answer.data
  const passages = a.passages ?? []
  return (
    <>
      {(a.mended ?? []).map((m) => (
        <p key={m.written} className="muted">
          “{m.written}” was taken as “{m.taken_as}”.
        </p>
      ))}
      {passages.length === 0 || !a.found ? (
        <Empty title={`The documents do not answer this${a.missing_words?.length ? `: they say nothing of ${a.missing_words.map((w) => `“${w}”`).join(', ')}` : ''}.`}>
          {passages.length > 0 ? 'What comes nearest to it follows.' : 'Ask in other words, or ingest a document that says it.'}
        </Empty>
      ) : null}
      {passages.length > 0 && a.found && <ModelAnswer asked={asked} />}
      <ol className="passages">
        {passages.map((p) => (
          <li key={p.document_id + p.start_byte}>
            <PassageView passage={p} asked={asked} />
          </li>
        ))}
      </ol>
      {(a.concepts ?? []).length > 0 && (
        <Section title="Concepts of these passages">
          <ul className="chips">
            {(a.concepts ?? []).map((c) => (
              <li key={c.concept_id} title={c.description ?? ''}>
                <Link href={'/explore?c=' + encodeURIComponent(c.concept_id) + '&open=' + encodeURIComponent(c.concept_id)}>{c.label}</Link>
              </li>
            ))}
          </ul>
          <Relationships answer={a} />
        </Section>
      )}
      <Found asked={asked} />
    </>
  )
}
