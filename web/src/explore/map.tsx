import { useQuery, useQueryClient } from '@tanstack/react-query'
import Graph from 'graphology'
import { useEffect, useMemo, useRef, useState } from 'react'
import { get, post, Problem, request, type Job, type Schemas } from '../api/client'
import { useLive } from '../live/live'
import { useMay } from '../signin/session'
import { count, plural } from '../ui/format'
import { Empty, ErrorState, Loading, Section } from '../ui/page'
import { Bar } from '../ui/status'
import { newSigma, paletteColors } from './draw'
import { palette, type Legend } from './look'

interface Point {
  concept_id: string
  label: string
  x: number
  y: number
  cluster_id: number | null
  degree: number | null
  ontology: string | null
}
interface Projection {
  concepts: Point[]
  statistics: { cluster_names?: Record<string, string> | null }
}

const listed = 100 // points in the table
const few = 500 // points, which are drawn larger and named
export const everything = '__all__'

/** MapView shows all concepts of an ontology, or of all, from the projection that the server keeps: what is alike is close. */
export function MapView({ ontology, open, onOpen, onExpand }: { ontology: string; open: string; onOpen: (id: string) => void; onExpand: (id: string) => void }) {
  const path = '/projection/' + encodeURIComponent(ontology)
  const kept = useQuery({ queryKey: ['projection', ontology], queryFn: ({ signal }) => request<Projection>('GET', path, undefined, signal), staleTime: Infinity })
  const [by, setBy] = useState<'cluster' | 'ontology'>('cluster')
  const none = kept.error instanceof Problem && kept.error.status === 404
  if (kept.isPending) return <Loading what="the map" />
  if (!kept.data && !none) return <ErrorState error={kept.error} retry={() => void kept.refetch()} />
  if (!kept.data) return <Empty title="There is no map yet."><Make path={path} ontology={ontology} /></Empty>
  const stale = kept.data.header.get('Kappa-Stale') === 'true'
  return (
    <>
      <p className="actions">
        <span className="muted">{plural(kept.data.body.concepts.length, 'concept')}: what is alike is close.{stale && ' The graph has changed since it was made.'}</span>
        <label>
          Colour
          <select value={by} onChange={(e) => setBy(e.target.value as typeof by)}>
            <option value="cluster">cluster</option>
            <option value="ontology">ontology</option>
          </select>
        </label>
        {stale && <Make path={path} ontology={ontology} />}
      </p>
      <Points projection={kept.data.body} by={by} open={open} onOpen={onOpen} onExpand={onExpand} />
    </>
  )
}

/** Make has a job make the map, and shows it when the job has. */
function Make({ path, ontology }: { path: string; ontology: string }) {
  const may = useMay()
  const client = useQueryClient()
  const { open } = useLive()
  const [id, setId] = useState('')
  const [refusal, setRefusal] = useState<Error | null>(null)
  const job = useQuery({ queryKey: ['job', id], queryFn: ({ signal }) => get<Job>('/jobs/' + id, signal), enabled: id !== '' })
  useEffect(() => {
    if (job.data?.status === 'completed') void client.invalidateQueries({ queryKey: ['projection', ontology] })
  }, [job.data?.status, client, ontology])
  if (!may('graph', 'create')) return <>Somebody who may change the graph can have it made.</>
  const make = async () => {
    setRefusal(null)
    try {
      const answer = await post<Schemas['Regenerated']>(path + '/regenerate', { n_components: 2 })
      if (answer.job_id) setId(answer.job_id)
      else void client.invalidateQueries({ queryKey: ['projection', ontology] })
    } catch (err) {
      setRefusal(err as Error)
    }
  }
  const running = open.get(id) ?? job.data
  if (refusal) return <span className="error">{refusal.message}</span>
  if (!running) return <button className="primary" onClick={() => void make()}>Make the map</button>
  return running.error ? <span className="error">{running.error}</span> : <Bar job={running} label="Progress of the map" />
}

function Points({ projection: p, by, open, onOpen, onExpand }: { projection: Projection; by: 'cluster' | 'ontology'; open: string; onOpen: (id: string) => void; onExpand: (id: string) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const acts = useRef({ onOpen, onExpand })
  acts.current = { onOpen, onExpand }
  const [failed, setFailed] = useState(false)
  const { color, legend } = useMemo(() => groupsOf(p, by), [p, by])
  const graph = useMemo(() => new Graph(), [])
  useEffect(() => {
    const colors = paletteColors()
    graph.clear()
    for (const c of p.concepts) if (!graph.hasNode(c.concept_id)) graph.addNode(c.concept_id, { x: c.x, y: c.y, label: c.label, size: (p.concepts.length > few ? 2 : 4) + Math.min(8, Math.sqrt(c.degree ?? 0) / 2), color: colors[color(c)] })
  }, [graph, p, color])
  useEffect(() => {
    if (!box.current) return
    try {
      const s = newSigma(graph, box.current, graph.order, graph.order > few ? { labelRenderedSizeThreshold: 6, labelDensity: 0.6 } : {})
      s.on('clickNode', (e) => acts.current.onOpen(e.node))
      s.on('doubleClickNode', (e) => {
        e.preventSigmaDefault()
        acts.current.onExpand(e.node)
      })
      return () => s.kill()
    } catch {
      setFailed(true)
    }
  }, [graph])
  const strongest = useMemo(() => [...p.concepts].sort((a, b) => (b.degree ?? 0) - (a.degree ?? 0)).slice(0, listed), [p])
  return (
    <>
      {failed ? <p className="state muted">This browser cannot draw the map; the table has its strongest concepts.</p> : <div ref={box} className="canvas card" aria-hidden="true" />}
      <LegendView legend={legend} />
      <Section title={`The strongest ${count(strongest.length)} of ${plural(p.concepts.length, 'concept')}`}>
        <ul className="rows">
          {strongest.map((c) => (
            <li key={c.concept_id}>
              <button className="link" aria-pressed={c.concept_id === open} onClick={() => onOpen(c.concept_id)}>{c.label}</button>
              <span className="muted">{c.ontology}</span>
              <span className="muted num">{plural(c.degree ?? 0, 'relationship')}</span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  )
}

/** groupsOf gives the largest clusters or ontologies a colour each, and all other points the last one. */
function groupsOf(p: Projection, by: 'cluster' | 'ontology'): { color: (c: Point) => number; legend: Legend[] } {
  const groupOf = (c: Point) => (by === 'ontology' ? (c.ontology ?? '') : c.cluster_id == null ? '' : String(c.cluster_id))
  const sizes = new Map<string, number>()
  for (const c of p.concepts) sizes.set(groupOf(c), (sizes.get(groupOf(c)) ?? 0) + 1)
  const last = palette.length - 1
  const named = [...sizes].filter(([g]) => g !== '').sort((a, b) => b[1] - a[1]).slice(0, last)
  const colors = new Map(named.map(([g], i) => [g, i]))
  const rest = p.concepts.length - named.reduce((sum, [, n]) => sum + n, 0)
  const legend = named.map(([g, size], i) => ({ color: i, name: by === 'cluster' ? (p.statistics.cluster_names?.[g] ?? 'cluster ' + g) : g, size }))
  if (rest > 0) legend.push({ color: last, name: 'others', size: rest })
  return { color: (c) => colors.get(groupOf(c)) ?? last, legend }
}

/** LegendView says what each colour means. */
export function LegendView({ legend }: { legend: Legend[] }) {
  if (legend.length === 0) return null
  return (
    <ul className="legend" aria-label="Legend">
      {legend.map((l) => (
        <li key={l.color}>
          <span className="swatch" style={{ background: `var(${palette[l.color]})` }} />
          {l.name} <span className="muted num">{count(l.size)}</span>
        </li>
      ))}
    </ul>
  )
}
