import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState, type FormEvent } from 'react'
import { useLocation, useSearch } from 'wouter'
import { get, post, type Schemas } from '../api/client'
import { plural } from '../ui/format'
import { Empty, ErrorState, Loading, Page, Section } from '../ui/page'
import { Canvas } from './canvas'
import { Drawer } from './drawer'
import { edgesOf, join, readAddress, writeAddress, type Shown } from './graph'

const around = 60 // concepts of a neighbourhood

/** ExplorePage shows a part of the graph: it begins from a search or from the strongest concepts, and grows a hop at a time. */
export default function ExplorePage() {
  const [, go] = useLocation()
  const at = readAddress(useSearch())
  const expand = (id: string) => go(writeAddress({ expanded: at.expanded.includes(id) ? at.expanded : [...at.expanded, id], open: id }))
  const open = (id: string) => go(writeAddress({ ...at, open: id }), { replace: true })
  const parts = useQueries({
    queries: at.expanded.map((id) => ({
      queryKey: ['neighborhood', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => post<Schemas['Neighborhood']>('/query/neighborhood', { concept_id: id, max_hops: 1, limit: around }, signal),
    })),
    combine: (all) => ({ data: all.flatMap((q) => (q.data ? [q.data] : [])), pending: all.some((q) => q.isPending), error: all.find((q) => q.error)?.error ?? null, refetch: () => all.forEach((q) => void q.refetch()) }),
  })
  const shown = useMemo(() => join(parts.data), [parts.data])
  if (at.expanded.length === 0)
    return (
      <Page title="Explore">
        <Begin begin={expand} />
      </Page>
    )
  const back = at.expanded.slice(0, -1)
  return (
    <Page
      title="Explore"
      actions={
        <>
          <button onClick={() => go(writeAddress({ expanded: back, open: back.at(-1) ?? '' }))}>Undo the last hop</button>
          <button onClick={() => go('/explore')}>Begin anew</button>
        </>
      }
    >
      {parts.error && <ErrorState error={parts.error} retry={parts.refetch} />}
      {parts.pending && shown.nodes.size === 0 ? (
        <Loading what="the graph" />
      ) : (
        <div className="reader">
          <div>
            <Canvas shown={shown} open={at.open} onOpen={open} onExpand={expand} />
            <Nodes shown={shown} expanded={at.expanded} open={at.open} onOpen={open} onExpand={expand} />
          </div>
          <aside aria-label="The open concept">{at.open ? <Drawer key={at.open} id={at.open} shown={shown} close={() => open('')} /> : <Empty title="No concept is open.">Choose one in the picture or in the table.</Empty>}</aside>
        </div>
      )}
    </Page>
  )
}

/** Begin offers where to begin: a search, and the strongest concepts. */
function Begin({ begin }: { begin: (id: string) => void }) {
  const [asked, setAsked] = useState('')
  const strongest = useQuery({ queryKey: ['stats', 'strongest'], queryFn: ({ signal }) => get<Schemas['ConceptList']>('/concepts?limit=24', signal) })
  const found = useQuery({ queryKey: ['concepts', asked], queryFn: ({ signal }) => post<Schemas['SearchResult']>('/query/search', { query: asked, limit: 24 }, signal), enabled: asked !== '' })
  const search = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    setAsked(String(new FormData(e.currentTarget).get('q')).trim())
  }
  const list = asked ? found : strongest
  const concepts = asked ? (found.data?.results ?? []) : (strongest.data?.concepts ?? [])
  return (
    <>
      <form role="search" className="search" onSubmit={search}>
        <input name="q" type="search" aria-label="Search for a concept" placeholder="Search for a concept" maxLength={1000} />
        <button className="primary">Search</button>
      </form>
      <Section title={asked ? 'Concepts found' : 'The strongest concepts'}>
        {list.isPending ? (
          <Loading what="concepts" />
        ) : list.error ? (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        ) : concepts.length === 0 ? (
          <Empty title={asked ? 'No concept is like that.' : 'The graph has no concepts yet.'}>{asked ? 'Search in other words.' : 'Ingest a document first.'}</Empty>
        ) : (
          <ul className="rows">
            {concepts.map((c) => (
              <li key={c.concept_id}>
                <button className="link" onClick={() => begin(c.concept_id)}>
                  {c.label}
                </button>
                <span className="muted num">{plural(c.evidence_count, 'quote')}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}

/** Nodes is the picture as a table, in step with it. */
function Nodes({ shown, expanded, open, onOpen, onExpand }: { shown: Shown; expanded: string[]; open: string; onOpen: (id: string) => void; onExpand: (id: string) => void }) {
  return (
    <Section title={`${plural(shown.nodes.size, 'concept')} and ${plural(shown.edges.size, 'relationship')} shown`}>
      <div className="scroll" tabIndex={0} role="region" aria-label="Concepts">
        <table>
          <thead>
            <tr><th>Concept</th><th>Relationships shown</th><th>More</th></tr>
          </thead>
          <tbody>
            {[...shown.nodes.values()].map((n) => (
              <tr key={n.concept_id} aria-selected={n.concept_id === open}>
                <td className="name">
                  <button className="link" aria-pressed={n.concept_id === open} onClick={() => onOpen(n.concept_id)}>
                    {n.label}
                  </button>
                </td>
                <td className="num">
                  {edgesOf(shown, n.concept_id).length} of {n.degree}
                </td>
                <td>{expanded.includes(n.concept_id) ? <span className="muted">expanded</span> : <button onClick={() => onExpand(n.concept_id)} aria-label={`Expand ${n.label}`}>Expand</button>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}
