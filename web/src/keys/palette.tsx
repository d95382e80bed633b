import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { useLocation } from 'wouter'
import { get, post, type Job, type Schemas } from '../api/client'
import { rarePages } from '../pages'
import { useMay } from '../signin/session'
import { statusNames } from '../ui/format'
import { titleOf } from '../ui/status'
import { actsOf, matching, type Choice } from './choices'

const kinds = { page: 'Page', act: 'Do', job: 'Job', concept: 'Concept', document: 'Document' }
const found = 5 // of each kind

/** Palette goes anywhere and does what the page offers: by name, by the id of a job, by the words of a concept or a document. */
export default function Palette({ close }: { close: () => void }) {
  const may = useMay()
  const [, go] = useLocation()
  const ref = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const [acts] = useState(() => actsOf(document))
  useEffect(() => {
    if (!ref.current?.open) ref.current?.showModal()
  }, [])
  const pages = useMemo<Choice[]>(() => {
    const list: [path: string, name: string, may: boolean][] = [
      ['/', 'Home', true], ['/ingest', 'Ingest', may('ingest', 'create')], ['/jobs', 'Jobs', may('jobs', 'read')], ['/jobs?status=failed', 'Failed jobs', may('jobs', 'read')],
      ['/jobs?status=awaiting_approval', 'Jobs that await approval', may('jobs', 'read')], ['/ask', 'Ask', may('graph', 'read')], ['/explore', 'Explore', may('graph', 'read')],
      ['/lanes', 'Lanes and workers', may('workers', 'view')], ['/lanes/schedules', 'Schedules', may('workers', 'view')], ['/lanes/holds', 'Pauses and limits', may('workers', 'view')],
      ['/ontologies/proposals', 'Proposals', may('ontologies', 'read')], ['/admin/audit', 'Audit log', may('audit', 'read')], ['/admin/backups', 'Backups', may('backups', 'read')],
      ...rarePages.map((p): [string, string, boolean] => [p.path, p.name, p.may(may)]),
    ]
    return list.filter(([, , allowed]) => allowed).map(([to, name]) => ({ kind: 'page', name, to }))
  }, [may])
  // What is here is matched at once: Enter takes what the typed text names. Only the server is asked when there is time.
  const now = typed.trim()
  const query = useDeferredValue(now)
  const jobs = useQuery({ queryKey: ['palette', 'job', query], queryFn: ({ signal }) => findJobs(query, signal), enabled: query.length > 2 && may('jobs', 'read'), retry: false })
  const things = useQuery({ queryKey: ['palette', 'things', query], queryFn: ({ signal }) => findThings(query, signal), enabled: query.length > 2 && may('graph', 'read'), retry: false })
  const choices = [...matching([...acts, ...pages], now), ...(query === now && query.length > 2 ? [...(jobs.data ?? []), ...(things.data ?? [])] : [])].slice(0, 30)
  const chosen = Math.min(at, choices.length - 1)
  const take = (c: Choice) => {
    ref.current?.close()
    if (c.to) go(c.to)
    else setTimeout(() => c.run?.()) // after the palette is gone: what it does may open a dialog
  }
  const press = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step && choices.length) {
      e.preventDefault()
      setAt((chosen + step + choices.length) % choices.length)
    } else if (e.key === 'Enter' && choices[chosen]) {
      e.preventDefault()
      take(choices[chosen])
    }
  }
  return (
    <dialog ref={ref} className="palette" aria-label="Go to" onClose={close}>
      <input type="text" role="combobox" aria-expanded aria-controls="choices" aria-activedescendant={choices[chosen] && 'choice' + chosen} aria-label="A page, a job, a concept, a document, or something to do" autoFocus
        placeholder="A page, a job, a concept, a document, or something to do" value={typed} onKeyDown={press} onChange={(e) => (setTyped(e.target.value), setAt(0))} />
      <ul id="choices" role="listbox" aria-label="Choices">
        {choices.map((c, i) => (
          <li key={c.kind + c.name + (c.to ?? i)} id={'choice' + i} role="option" aria-selected={i === chosen} ref={(li) => void (i === chosen && li?.scrollIntoView({ block: 'nearest' }))} onClick={() => take(c)}>
            <span>{c.name}</span>
            <span className="muted">
              {kinds[c.kind]}
              {c.detail && ' · ' + c.detail}
            </span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="muted" role="status">{jobs.isFetching || things.isFetching ? 'Searching…' : (things.error?.message ?? 'Nothing is called so.')}</p>}
    </dialog>
  )
}

/** findJobs finds a job by its id, and others by the names of their files. */
async function findJobs(query: string, signal: AbortSignal): Promise<Choice[]> {
  const list = /^job_[0-9a-f]{12}$/.test(query) ? [await get<Job>('/jobs/' + query, signal)] : ((await get<Job[] | null>(`/jobs?limit=${found}&file=${encodeURIComponent(query)}`, signal)) ?? [])
  return list.map((j) => ({ kind: 'job', name: titleOf(j), detail: `${j.job_id} · ${statusNames[j.status] ?? j.status}`, to: '/jobs/' + j.job_id }))
}

/** findThings finds concepts and documents by their words. */
async function findThings(query: string, signal: AbortSignal): Promise<Choice[]> {
  const { hits } = await post<Schemas['FindAnswer']>('/search', { query, find: ['concept', 'document'], limit: 2 * found, typing: true }, signal)
  return (hits ?? []).flatMap((h): Choice[] => {
    if (h.concept) return [{ kind: 'concept', name: h.text, to: `/explore?c=${encodeURIComponent(h.concept.concept_id)}&open=${encodeURIComponent(h.concept.concept_id)}` }]
    if (h.document) return [{ kind: 'document', name: h.document.title || h.document.filename, detail: h.document.ontology, to: `/documents/${encodeURIComponent(h.document.document_id)}?ontology=${encodeURIComponent(h.document.ontology)}` }]
    return []
  })
}
