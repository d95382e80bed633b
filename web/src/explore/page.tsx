import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState, type FormEvent } from 'react'
import type Sigma from 'sigma'
import { Link, useLocation, useSearch } from 'wouter'
import { get, post, type Schemas } from '../api/client'
import { count, plural } from '../ui/format'
import { Empty, ErrorState, Loading, Page, Section } from '../ui/page'
import { Canvas } from './canvas'
import { resolve } from './draw'
import { Drawer } from './drawer'
import { saveGraphML, saveJSON, savePNG } from './export'
import { Filters } from './filters'
import { countEdges, edgeKey, filterOf, join, mostOf, nowhere, partOf, readAddress, writeAddress, type Address, type Shown } from './graph'
import { everything, LegendView, MapView } from './map'
import { lookOf } from './look'
import { Paths, PathTo, usePaths } from './path'

const listed = 300 // concepts in the table

/** useNeighborhoods reads what is around the expanded concepts, as far as the filters of the address let it through. What was read stays until the next answer is here. */
function useNeighborhoods(at: Address) {
  const last = useRef<Schemas['Neighborhood'][]>([])
  const filter = { limit: at.most, ...filterOf(at), ...(at.color === 'ontology' && { include_ontologies: true }) }
  const read = useQueries({
    queries: at.expanded.map((id) => ({
      queryKey: ['neighborhood', id, filter],
      queryFn: ({ signal }: { signal: AbortSignal }) => post<Schemas['Neighborhood']>('/query/neighborhood', { concept_id: id, max_hops: 1, ...filter }, signal),
    })),
    combine: (all) => ({ data: all.flatMap((q) => (q.data ? [q.data] : [])), pending: all.some((q) => q.isPending), error: all.find((q) => q.error)?.error ?? null, refetch: () => all.forEach((q) => void q.refetch()) }),
  })
  if (!read.pending || read.data.length > 0) last.current = read.data
  return { ...read, data: read.pending ? last.current : read.data }
}

/** ExplorePage shows a part of the graph: it begins from a search, from the strongest concepts or from a map of all, and grows a hop at a time. The address holds all of it, so that going back undoes. */
export default function ExplorePage() {
  const [, go] = useLocation()
  const at = readAddress(useSearch())
  const acts = useRef(0) // on this page, which can be undone
  const change = (part: Partial<Address>) => {
    acts.current++
    go(writeAddress({ ...at, ...part }))
  }
  const expand = (id: string) => change({ expanded: at.expanded.includes(id) ? at.expanded : [...at.expanded, id], open: id, map: '' })
  const open = (id: string) => go(writeAddress({ ...at, open: id }), { replace: true })
  const undo = () => {
    acts.current--
    history.back()
  }
  const title = at.map ? 'Map' : 'Explore'
  const actions = (
    <>
      <button disabled={acts.current <= 0} onClick={undo}>Undo</button>
      <button onClick={() => change(nowhere)}>Begin anew</button>
    </>
  )
  if (at.map)
    return (
      <Page title={title} actions={actions}>
        <div className="reader">
          <div><MapView key={at.map} ontology={at.map} open={at.open} onOpen={open} onExpand={expand} /></div>
          <aside aria-label="The open concept">
            {at.open ? <Drawer key={at.open} id={at.open} shown={join([])} close={() => open('')}><button className="primary" onClick={() => expand(at.open)}>Explore around it</button></Drawer> : <Empty title="No concept is open.">Choose one in the picture or in the list.</Empty>}
          </aside>
        </div>
      </Page>
    )
  if (at.expanded.length === 0) return <Page title={title}><Begin begin={expand} /></Page>
  return <Page title={title} actions={actions}><Around at={at} change={change} open={open} expand={expand} /></Page>
}

/** Around shows what is around the expanded concepts: the picture, the table and the open concept, in step. */
function Around({ at, change, open, expand }: { at: Address; change: (part: Partial<Address>) => void; open: (id: string) => void; expand: (id: string) => void }) {
  const sigma = useRef<Sigma>(null)
  const parts = useNeighborhoods(at)
  const paths = usePaths(at)
  const onPath = useMemo(() => (at.from && at.to ? (paths.data?.paths ?? []) : []).map(partOf), [paths.data, at.from, at.to])
  const hidden = at.hidden.join(' ')
  const shown = useMemo(() => join([...parts.data, ...onPath], hidden.split(' ')), [parts.data, onPath, hidden])
  const best = useMemo(() => new Set(onPath[0]?.edges.map(edgeKey)), [onPath])
  const look = useMemo(() => lookOf(shown, { color: at.color, size: at.size }), [shown, at.color, at.size])
  const pins = at.pinned.join(' ')
  const pinned = useMemo(() => pins.split(' ').filter(Boolean), [pins])
  const pin = (id: string) => !at.pinned.includes(id) && change({ pinned: [...at.pinned, id] })
  const hide = (id: string) => change({ hidden: [...at.hidden, id], open: at.open === id ? '' : at.open })
  return (
    <>
      <Filters at={at} shown={shown} change={change} />
      {parts.error && <ErrorState error={parts.error} retry={parts.refetch} />}
      {parts.pending && shown.nodes.size === 0 ? (
        <Loading what="the graph" />
      ) : (
        <div className="reader">
          <div>
            <Canvas shown={shown} look={look} open={at.open} path={best} pinned={pinned} onOpen={open} onExpand={expand} onPin={pin} drawn={(s) => (sigma.current = s)} />
            <LegendView legend={look.legend} />
            <p className="actions">
              <button onClick={() => sigma.current && savePNG(sigma.current, resolve(['var(--card)'])[0]!)}>Save as PNG</button>
              <button onClick={() => saveJSON(shown)}>Save as JSON</button>
              <button onClick={() => saveGraphML(shown)}>Save as GraphML</button>
              {at.hidden.length > 0 && <button onClick={() => change({ hidden: [] })}>Show {count(at.hidden.length)} hidden</button>}
              {at.pinned.length > 0 && <button onClick={() => change({ pinned: [] })}>Unpin {count(at.pinned.length)}</button>}
            </p>
            {at.from && at.to && <Paths found={paths} close={() => change({ from: '', to: '' })} onOpen={open} />}
            <Nodes shown={shown} at={at} truncated={parts.data.some((p) => p.truncated)} more={() => change({ most: Math.min(mostOf, at.most * 3) })} onOpen={open} onExpand={expand} onHide={hide} />
          </div>
          <aside aria-label="The open concept">
            {at.open ? (
              <Drawer key={at.open} id={at.open} shown={shown} close={() => open('')} more={<PathTo choose={(to) => change({ from: at.open, to })} />}>
                <p className="actions">
                  <button onClick={() => hide(at.open)}>Hide</button>
                  <button aria-pressed={at.pinned.includes(at.open)} onClick={() => change({ pinned: at.pinned.includes(at.open) ? at.pinned.filter((id) => id !== at.open) : [...at.pinned, at.open] })}>Pin</button>
                </p>
              </Drawer>
            ) : (
              <Empty title="No concept is open.">Choose one in the picture or in the table.</Empty>
            )}
          </aside>
        </div>
      )}
    </>
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
        <Link className="button" href={writeAddress({ ...nowhere, map: everything })}>Map of everything</Link>
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
function Nodes({ shown, at, truncated, more, onOpen, onExpand, onHide }: { shown: Shown; at: Address; truncated: boolean; more: () => void; onOpen: (id: string) => void; onExpand: (id: string) => void; onHide: (id: string) => void }) {
  const of = encodeURIComponent(at.ontology)
  const all = useQuery({ queryKey: ['stats', 'concepts', at.ontology], queryFn: ({ signal }) => get<Schemas['ConceptList']>('/concepts?limit=1' + (of && '&ontology=' + of), signal) })
  const edges = useMemo(() => countEdges(shown), [shown])
  const rows = [...shown.nodes.values()].slice(0, listed)
  return (
    <Section
      title={`${count(shown.nodes.size)}${all.data ? ' of ' + count(all.data.total) : ''} concepts and ${plural(shown.edges.size, 'relationship')} shown`}
      aside={truncated && at.most < mostOf && <button onClick={more}>Show more</button>}
    >
      <div className="scroll" tabIndex={0} role="region" aria-label="Concepts">
        <table>
          <thead>
            <tr><th>Concept</th><th>Relationships shown</th><th>More</th></tr>
          </thead>
          <tbody>
            {rows.map((n) => (
              <tr key={n.concept_id} aria-selected={n.concept_id === at.open}>
                <td className="name">
                  <button className="link" aria-pressed={n.concept_id === at.open} onClick={() => onOpen(n.concept_id)}>
                    {n.label}
                  </button>
                </td>
                <td className="num">
                  {edges.get(n.concept_id) ?? 0}{n.degree > 0 && ` of ${n.degree}`}
                </td>
                <td className="num">
                  {at.expanded.includes(n.concept_id) ? <span className="muted">expanded</span> : <button onClick={() => onExpand(n.concept_id)} aria-label={`Expand ${n.label}`}>Expand</button>}{' '}
                  <button onClick={() => onHide(n.concept_id)} aria-label={`Hide ${n.label}`}>Hide</button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.nodes.size > listed && <p className="muted">The first {listed} are listed: filter, or hide some, to see the others.</p>}
    </Section>
  )
}
