import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { get, type Schemas } from '../api/client'
import { count, plural } from '../ui/format'
import { Empty, Section } from '../ui/page'
import { said, spanOf, type Quote } from './marked'

const listed = 200 // concepts in the list; a filter finds the others

interface Props {
  document: string
  concepts: Schemas['DocumentConcept'][]
  quotes: Quote[]
  chosen: string // a concept
  span: string // the bytes of the quote that is shown, or ""
  show: (quote: Quote, concept: string) => void
  choose: (concept: string) => void
}

/** Beside is what stands beside the text: the quote that is shown, the chosen concept, and all concepts. */
export function Beside({ document, concepts, quotes, chosen, span, show, choose }: Props) {
  const [filter, setFilter] = useState('')
  const found = useMemo(() => concepts.filter((c) => c.name.toLowerCase().includes(filter.trim().toLowerCase())), [concepts, filter])
  const concept = useQuery({ queryKey: ['concept', chosen], queryFn: ({ signal }) => get<Schemas['ConceptDetails']>('/query/concept/' + encodeURIComponent(chosen), signal), enabled: chosen !== '' })
  const quote = quotes.find((q) => spanOf(q) === span)
  return (
    <aside aria-label="Concepts">
      <Walk quotes={quotes} chosen={chosen} span={span} show={show} />
      {quote && <Shown quote={quote} choose={choose} />}
      {concept.data && <Chosen concept={concept.data} document={document} />}
      <Section title="Concepts">
        {concepts.length === 0 ? (
          <Empty title="No concept was read in it." />
        ) : (
          <>
            {concepts.length > 20 && <input type="search" className="filter" aria-label="Find a concept of this document" placeholder="Find a concept" value={filter} onChange={(e) => setFilter(e.target.value)} />}
            <ul className="rows concepts" tabIndex={0} aria-label="Concepts of this document">
              {found.slice(0, listed).map((c) => (
                <li key={c.concept_id}>
                  <button className="link" aria-pressed={c.concept_id === chosen} onClick={() => choose(c.concept_id)}>
                    {c.name}
                  </button>
                  <span className="muted num">{plural(c.instance_count, 'quote')}</span>
                </li>
              ))}
            </ul>
            {found.length > listed && <p className="muted">{count(listed)} of {count(found.length)} are listed.</p>}
          </>
        )}
      </Section>
    </aside>
  )
}

/** Walk goes from quote to quote: those of the chosen concept, or all. */
function Walk({ quotes, chosen, span, show }: Pick<Props, 'quotes' | 'chosen' | 'span' | 'show'>) {
  const list = useMemo(() => (chosen ? quotes.filter((q) => q.concepts?.some((c) => c.concept_id === chosen)) : quotes), [quotes, chosen])
  if (list.length === 0) return null
  const at = list.findIndex((q) => spanOf(q) === span)
  const step = (by: number) => {
    const next = at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length
    show(list[next]!, chosen)
  }
  return (
    <p className="walk">
      <button onClick={() => step(-1)}>Previous quote</button>
      <button onClick={() => step(1)}>Next quote</button>
      <span className="muted num" role="status">{at < 0 ? plural(list.length, 'quote') : `${count(at + 1)} of ${count(list.length)}`}{chosen && ' of the concept'}</span>
    </p>
  )
}

/** Shown says what a quote shows and states. */
function Shown({ quote: q, choose }: { quote: Quote; choose: (concept: string) => void }) {
  return (
    <Section title="This quote" aside={<span className="muted num">bytes {spanOf(q).replace('-', '–')}</span>}>
      <ul className="chips">
        {(q.concepts ?? []).map((c) => (
          <li key={c.concept_id}>
            <button className="link" onClick={() => choose(c.concept_id)}>{c.name}</button>
          </li>
        ))}
      </ul>
      {(q.relationships ?? []).length > 0 && (
        <ul>
          {(q.relationships ?? []).map((r) => (
            <li key={r.from_concept_id + r.relationship_type + r.to_concept_id}>
              <Link href={`/explore?c=${encodeURIComponent(r.from_concept_id)}&open=${encodeURIComponent(r.to_concept_id)}`}>{said(r)}</Link> <span className="muted num">{Math.round(100 * r.confidence)} %</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
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
