import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { get, type Schemas } from '../api/client'
import { plural } from '../ui/format'
import { ErrorState, Loading, Section } from '../ui/page'
import { edgesOf, type Edge, type Shown } from './graph'

const quotes = 12 // of a concept here

/** hrefOf leads to a quote in its document. */
export const hrefOf = (q: { document_id: string; document: string; start_byte: number; end_byte: number }, concept?: string) =>
  `/documents/${encodeURIComponent(q.document_id)}?ontology=${encodeURIComponent(q.document)}&bytes=${q.start_byte}-${q.end_byte}` + (concept ? '&concept=' + encodeURIComponent(concept) : '')

/** Drawer shows a concept: its quotes with their documents, and its relationships with the sentences that state them. */
export function Drawer({ id, shown, close, children, more }: { id: string; shown: Shown; close: () => void; children?: ReactNode; more?: ReactNode }) {
  const concept = useQuery({ queryKey: ['concept', id], queryFn: ({ signal }) => get<Schemas['ConceptDetails']>('/query/concept/' + encodeURIComponent(id), signal) })
  if (concept.isPending) return <Section title="Concept"><Loading what="the concept" /></Section>
  if (!concept.data) return <Section title="Concept" aside={<button onClick={close}>Close</button>}><ErrorState error={concept.error} retry={() => void concept.refetch()} /></Section>
  const c = concept.data
  const instances = c.instances ?? []
  return (
    <Section title={c.label} aside={<button onClick={close}>Close</button>}>
      {c.description && <p>{c.description}</p>}
      {children}
      {c.grounding_display && <p className="muted">Grounding: {c.grounding_display}</p>}
      <h3>{plural(instances.length, 'quote')}</h3>
      <ul>
        {instances.slice(0, quotes).map((i) => (
          <li key={i.source_id + i.start_byte}>
            “{i.quote}” <Link href={hrefOf(i, id)}>{i.filename ?? 'document'}</Link>
          </li>
        ))}
      </ul>
      {instances.length > quotes && <p className="muted">The first {quotes} are shown.</p>}
      <h3>Relationships shown</h3>
      {edgesOf(shown, id).map((e) => (
        <Relationship key={e.relationship_type + e.from_concept_id + e.to_concept_id} edge={e} shown={shown} />
      ))}
      {more}
    </Section>
  )
}

/** Relationship shows the sentences that state it when it is opened. */
function Relationship({ edge: e, shown }: { edge: Edge; shown: Shown }) {
  const label = (id: string) => shown.nodes.get(id)?.label ?? id
  const path = [e.from_concept_id, e.relationship_type, e.to_concept_id].map(encodeURIComponent).join('/')
  const stated = useQuery({ queryKey: ['edge', path], queryFn: ({ signal }) => get<Schemas['EdgeDetails']>('/edges/' + path, signal), enabled: false })
  return (
    <details onToggle={(t) => t.currentTarget.open && !stated.data && void stated.refetch()}>
      <summary>
        {label(e.from_concept_id)} <span className="muted">{e.relationship_type.toLowerCase().replaceAll('_', ' ')}</span> {label(e.to_concept_id)}
      </summary>
      {stated.error ? (
        <ErrorState error={stated.error} retry={() => void stated.refetch()} />
      ) : !stated.data ? (
        <Loading what="its sentences" />
      ) : (
        <ul>
          {(stated.data.evidence ?? []).map((q) => (
            <li key={q.source_id + q.start_byte}>
              “{q.quote}” <Link href={hrefOf(q)}>{q.filename ?? 'document'}</Link>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}
