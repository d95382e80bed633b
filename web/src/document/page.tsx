import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { get, type Schemas } from '../api/client'
import { plural } from '../ui/format'
import { Empty, ErrorState, Loading, Page, Section } from '../ui/page'
import { marksOf, textOf } from './text'
import { MarkedText } from './marked'

const marked = 25 // concepts whose quotes are marked; others are when they are chosen

/** DocumentPage shows the text of a document with the quotes of its concepts marked. The address holds the chosen concept and the passage that a link leads to. */
export function DocumentPage({ id }: { id: string }) {
  const query = new URLSearchParams(useSearch())
  const ontology = query.get('ontology') ?? ''
  const of = ontology ? '?ontology=' + encodeURIComponent(ontology) : ''
  const base = '/documents/' + encodeURIComponent(id)
  const content = useQuery({ queryKey: ['document', id, ontology], queryFn: ({ signal }) => get<Schemas['DocumentContent']>(`${base}/content${of}`, signal) })
  const concepts = useQuery({ queryKey: ['document', id, ontology, 'concepts'], queryFn: ({ signal }) => get<Schemas['DocumentConcepts']>(`${base}/concepts${of}`, signal) })
  if (content.isPending) return <Page title="Document"><Loading what="the document" /></Page>
  if (!content.data) return <Page title="Document"><ErrorState error={content.error} retry={() => void content.refetch()} /></Page>
  const c = content.data
  return (
    <Page
      title={c.filename}
      actions={
        <a className="button" href={`/api${base}/download${of}`} download={c.filename}>
          Download the original
        </a>
      }
    >
      <p className="muted">
        ontology {c.ontology} · {plural(c.chunks?.length ?? 0, 'chunk')}
        {concepts.data && ` · ${plural(concepts.data.total, 'concept')}`}
      </p>
      {concepts.isError && <ErrorState error={concepts.error} retry={() => void concepts.refetch()} />}
      <Read content={c} concepts={concepts.data?.concepts ?? []} />
    </Page>
  )
}

function Read({ content, concepts }: { content: Schemas['DocumentContent']; concepts: Schemas['DocumentConcept'][] }) {
  const [, go] = useLocation()
  const search = useSearch()
  const query = new URLSearchParams(search)
  const chosen = query.get('concept')
  const bytes = query.get('bytes')?.match(/^(\d+)-(\d+)$/)
  const [start, end] = [bytes ? Number(bytes[1]) : undefined, bytes ? Number(bytes[2]) : undefined]
  const text = useMemo(() => textOf(content), [content])
  const ids = useMemo(() => {
    const first = concepts.slice(0, marked).map((c) => c.concept_id)
    return chosen && !first.includes(chosen) ? [...first, chosen] : first
  }, [concepts, chosen])
  const details = useQueries({
    queries: ids.map((id) => ({ queryKey: ['concept', id], queryFn: ({ signal }: { signal: AbortSignal }) => get<Schemas['ConceptDetails']>('/query/concept/' + encodeURIComponent(id), signal) })),
    combine: (all) => all.flatMap((q) => (q.data ? [q.data] : [])),
  })
  const marks = useMemo(() => marksOf(text, content.document_id, details, start, end), [text, content.document_id, details, start, end])
  const choose = (concept: string) => {
    const next = new URLSearchParams(search)
    next.set('concept', concept)
    next.delete('bytes')
    go(`/documents/${encodeURIComponent(content.document_id)}?${next}`, { replace: true })
  }
  const body = useRef<HTMLDivElement>(null)
  const target = chosen ?? (bytes ? bytes[0] : '')
  const ready = marks.length > 0
  useEffect(() => {
    if (target && ready) body.current?.querySelector('[data-target]')?.scrollIntoView({ block: 'center' })
  }, [target, ready])
  const detail = details.find((d) => d.concept_id === chosen)
  return (
    <div className="reader">
      <div ref={body} className="text card">
        {text.from === 'nothing' ? (
          <Empty title="This document has no text that can be shown.">Download the original instead.</Empty>
        ) : (
          <MarkedText text={text.text} marks={marks} chosen={chosen ?? ''} choose={choose} names={new Map(concepts.map((c) => [c.concept_id, c.name]))} />
        )}
      </div>
      <aside aria-label="Concepts">
        {detail && <Chosen concept={detail} document={content.document_id} />}
        <Section title="Concepts" aside={concepts.length > marked && <span className="muted">the first {marked} are marked</span>}>
          {concepts.length === 0 ? (
            <Empty title="No concept was read in it." />
          ) : (
            <ul className="rows concepts">
              {concepts.map((c) => (
                <li key={c.concept_id}>
                  <button className="link" aria-pressed={c.concept_id === chosen} onClick={() => choose(c.concept_id)}>
                    {c.name}
                  </button>
                  <span className="muted num">{plural(c.instance_count, 'quote')}</span>
                </li>
              ))}
            </ul>
          )}
        </Section>
      </aside>
    </div>
  )
}

function Chosen({ concept: c, document }: { concept: Schemas['ConceptDetails']; document: string }) {
  const elsewhere = (c.instances ?? []).filter((i) => i.document_id !== document)
  return (
    <Section title={c.label}>
      {c.description && <p>{c.description}</p>}
      <p>
        <Link href={`/explore?c=${encodeURIComponent(c.concept_id)}&open=${encodeURIComponent(c.concept_id)}`}>Explore around it</Link>
      </p>
      {(c.relationships ?? []).length > 0 && (
        <ul>
          {(c.relationships ?? []).slice(0, 12).map((r) => (
            <li key={r.rel_type + r.to_id}>
              <span className="muted">{r.rel_type.toLowerCase().replaceAll('_', ' ')}</span> {r.to_label}
            </li>
          ))}
        </ul>
      )}
      {elsewhere.length > 0 && (
        <>
          <h3>Quotes in other documents</h3>
          <ul>
            {elsewhere.slice(0, 8).map((i) => (
              <li key={i.source_id + i.start_byte}>
                “{i.quote}”{' '}
                <Link href={`/documents/${encodeURIComponent(i.document_id)}?ontology=${encodeURIComponent(i.document)}&concept=${encodeURIComponent(c.concept_id)}&bytes=${i.start_byte}-${i.end_byte}`}>{i.filename ?? 'document'}</Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}
