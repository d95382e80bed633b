import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearch } from 'wouter'
import { post, type Schemas } from '../api/client'
import { count, plural } from '../ui/format'
import { Empty, ErrorState, Loading, Section } from '../ui/page'
import { words } from '../ui/marks'

type Hit = Schemas['FoundHit']

/** The facets of a search: what the address and the server call them, and what they are called here. */
const facets = [['find', 'What'], ['ontologies', 'Ontology'], ['kinds', 'Kind of document'], ['languages', 'Language']] as const

const perPage = 12 // hits

/** Found shows the concepts, documents and passages that have the words, narrowed by what the address has chosen of each facet. */
export function Found({ asked }: { asked: string }) {
  const [, go] = useLocation()
  const search = useSearch()
  const at = new URLSearchParams(search)
  const chosen = Object.fromEntries(facets.flatMap(([name]) => (at.getAll(name).length > 0 ? [[name, at.getAll(name)]] : []))) as Record<string, string[]>
  const found = useInfiniteQuery({
    queryKey: ['find', asked, chosen],
    queryFn: ({ pageParam, signal }) => post<Schemas['FindAnswer']>('/search', { query: asked, limit: perPage, ...chosen, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
  const toggle = (name: string, value: string) => {
    const next = new URLSearchParams(search)
    const on = next.getAll(name)
    next.delete(name)
    for (const v of on.includes(value) ? on.filter((o) => o !== value) : [...on, value]) next.append(name, v)
    go('/ask?' + next, { replace: true })
  }
  const first = found.data?.pages[0]
  const hits = found.data?.pages.flatMap((p) => p.hits ?? []) ?? []
  return (
    <Section title="Everything with these words" aside={first && <span className="muted num">{first.total_is_at_least ? 'at least ' : ''}{plural(first.total, 'hit')}</span>}>
      {first &&
        facets.map(([name, title]) => {
          const values = first.facets[name] ?? []
          const offered = [...values.map((v) => v.value), ...(chosen[name] ?? []).filter((v) => !values.some((o) => o.value === v))]
          if (offered.length < 2 && !chosen[name]) return null
          return (
            <p key={name} className="facet" role="group" aria-label={title}>
              <span className="muted">{title}</span>{' '}
              {offered.slice(0, 12).map((v) => (
                <button key={v} aria-pressed={chosen[name]?.includes(v) ?? false} onClick={() => toggle(name, v)}>
                  {v} <span className="num">{count(values.find((o) => o.value === v)?.count ?? 0)}</span>
                </button>
              ))}
            </p>
          )
        })}
      {found.isPending ? (
        <Loading what="what is found" />
      ) : found.error ? (
        <ErrorState error={found.error} retry={() => void found.refetch()} />
      ) : hits.length === 0 ? (
        <Empty title="Nothing has these words." />
      ) : (
        <ul className="rows">
          {hits.map((h, i) => (
            <li key={i}><HitView hit={h} asked={asked} /></li>
          ))}
        </ul>
      )}
      {found.hasNextPage && <button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>Show more</button>}
    </Section>
  )
}

function HitView({ hit: h, asked }: { hit: Hit; asked: string }) {
  const marked = words(h.text, asked).map((w, i) => (w.hit ? <mark key={i}>{w.text}</mark> : w.text))
  if (h.concept)
    return (
      <>
        <span><Link href={`/explore?c=${encodeURIComponent(h.concept.concept_id)}&open=${encodeURIComponent(h.concept.concept_id)}`}>{marked}</Link> <span className="muted">{h.concept.description}</span></span>
        <span className="muted">concept</span>
      </>
    )
  const d = h.document
  const at = d ? `/documents/${encodeURIComponent(d.document_id)}?ontology=${encodeURIComponent(d.ontology)}` : ''
  if (h.passage && d)
    return (
      <>
        <span><span className="hit">{marked}</span> <Link href={`${at}&bytes=${h.passage.start_byte}-${h.passage.end_byte}`}>{d.filename}</Link>{h.passage.section && <span className="muted"> · {h.passage.section}</span>}</span>
        <span className="muted">passage</span>
      </>
    )
  return (
    <>
      <span>{d ? <Link href={at}>{d.title ?? d.filename}</Link> : marked}</span>
      <span className="muted">document</span>
    </>
  )
}
