import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { get, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { count, plural } from '../ui/format'
import { Empty, ErrorState, Loading, Page } from '../ui/page'
import { Beside } from './beside'
import { MarkedBlock, spanOf, type Quote } from './marked'
import { blockAt, blocksOf, inBlocks, textOf } from './text'
import { Undo } from './undo'
import { Versions } from './versions'

const perPage = 2_000 // quotes that are read at once

/** DocumentPage shows the text of a document with all its quotes marked. The address holds the chosen concept, and the passage or quote that a link leads to. */
export default function DocumentPage({ id }: { id: string }) {
  const may = useMay()
  const ontology = new URLSearchParams(useSearch()).get('ontology') ?? ''
  const of = ontology ? '?ontology=' + encodeURIComponent(ontology) : ''
  const base = '/documents/' + encodeURIComponent(id)
  const content = useQuery({ queryKey: ['document', id, ontology], queryFn: ({ signal }) => get<Schemas['DocumentContent']>(`${base}/content${of}`, signal) })
  const concepts = useQuery({ queryKey: ['document', id, ontology, 'concepts'], queryFn: ({ signal }) => get<Schemas['DocumentConcepts']>(`${base}/concepts${of}`, signal) })
  const quotes = useInfiniteQuery({
    queryKey: ['document', id, ontology, 'quotes'],
    queryFn: ({ pageParam, signal }) => get<Schemas['DocumentQuotes']>(`${base}/quotes?limit=${perPage}${ontology ? '&' + of.slice(1) : ''}${pageParam ? '&cursor=' + pageParam : ''}`, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
  useEffect(() => {
    if (quotes.hasNextPage && !quotes.isFetching && !quotes.isError) void quotes.fetchNextPage()
  }, [quotes])
  const list = useMemo(() => quotes.data?.pages.flatMap((p) => p.quotes ?? []) ?? [], [quotes.data])
  if (content.isPending) return <Page title="Document"><Loading what="the document" /></Page>
  if (!content.data) return <Page title="Document"><ErrorState error={content.error} retry={() => void content.refetch()} /></Page>
  const c = content.data
  return (
    <Page
      title={c.filename}
      actions={
        <>
          <a className="button" href={`/api${base}/download${of}`} download={c.filename}>
            Download the original
          </a>
          {may('jobs', 'read') && c.job_id && <Link className="button" href={'/jobs/' + c.job_id}>Its job</Link>}
          <Undo document={c.document_id} ontology={c.ontology} job={c.job_id} />
        </>
      }
    >
      <p className="muted">
        ontology {c.ontology} · {plural(c.chunks?.length ?? 0, 'chunk')}
        {concepts.data && ` · ${plural(concepts.data.total, 'concept')}`}
        {quotes.data && ` · ${quotes.hasNextPage ? `${count(list.length)} quotes and more` : plural(list.length, 'quote')}`}
      </p>
      {concepts.isError && <ErrorState error={concepts.error} retry={() => void concepts.refetch()} />}
      {quotes.isError && <ErrorState error={quotes.error} retry={() => void quotes.refetch()} />}
      <Versions id={c.document_id} ontology={c.ontology} />
      <Read content={c} concepts={concepts.data?.concepts ?? []} quotes={list} />
    </Page>
  )
}

function Read({ content, concepts, quotes }: { content: Schemas['DocumentContent']; concepts: Schemas['DocumentConcept'][]; quotes: Quote[] }) {
  const [, go] = useLocation()
  const search = useSearch()
  const query = new URLSearchParams(search)
  const chosen = query.get('concept') ?? ''
  const span = query.get('bytes')?.match(/^(\d+)-(\d+)$/)
  const [start, end] = span ? [Number(span[1]), Number(span[2])] : []
  const text = useMemo(() => textOf(content), [content])
  const blocks = useMemo(() => blocksOf(text.bytes), [text])
  const marks = useMemo(() => inBlocks(blocks, quotes).map((numbers) => numbers.map((i) => quotes[i]!)), [blocks, quotes])
  const body = useRef<HTMLDivElement>(null)
  const clicked = useRef('') // what was chosen in the text, which is in view

  const at = useRef(search)
  at.current = search
  const show = useCallback((quote: Quote, concept: string) => {
    const next = new URLSearchParams(at.current)
    next.set('bytes', spanOf(quote))
    if (concept) next.set('concept', concept)
    else next.delete('concept')
    go(`/documents/${encodeURIComponent(content.document_id)}?${next}`, { replace: true })
  }, [content.document_id, go])
  const choose = useCallback((here: Quote[]) => {
    const inner = [...here].sort((a, b) => a.end_byte - a.start_byte - (b.end_byte - b.start_byte))
    const now = new URLSearchParams(at.current).get('bytes')
    const quote = inner[(inner.findIndex((q) => spanOf(q) === now) + 1) % inner.length]!
    clicked.current = spanOf(quote)
    show(quote, quote.concepts?.[0]?.concept_id ?? '')
  }, [show])
  const chooseConcept = (concept: string) => {
    const next = new URLSearchParams(search)
    next.set('concept', concept)
    next.delete('bytes')
    go(`/documents/${encodeURIComponent(content.document_id)}?${next}`, { replace: true })
  }

  const first = start ?? (chosen ? quotes.find((q) => q.concepts?.some((c) => c.concept_id === chosen))?.start_byte : undefined) ?? -1
  const wanted = span?.[0] ?? chosen
  useEffect(() => {
    if (first < 0 || clicked.current === wanted) return
    clicked.current = ''
    const scroll = () => body.current?.querySelector('[data-target]')?.scrollIntoView({ block: 'center' })
    scroll()
    // Blocks that were never in view have no height of their own before: it is right the second time.
    const again = requestAnimationFrame(scroll)
    return () => cancelAnimationFrame(again)
  }, [wanted, first])
  const target = first < 0 ? -1 : blockAt(blocks, first)
  return (
    <div className="reader">
      <div ref={body} className="text card">
        {text.from === 'nothing' ? (
          <Empty title="This document has no text that can be shown.">Download the original instead.</Empty>
        ) : (
          blocks.map((b, i) => {
            const inside = start !== undefined && end !== undefined && start < b.end && end > b.start
            return <MarkedBlock key={b.start} bytes={text.bytes} block={b} quotes={marks[i]!} chosen={chosen} start={inside ? start : undefined} end={inside ? end : undefined} first={i === target ? first : -1} choose={choose} />
          })
        )}
      </div>
      <Beside document={content.document_id} concepts={concepts} quotes={quotes} chosen={chosen} span={span?.[0] ?? ''} show={show} choose={chooseConcept} />
    </div>
  )
}
