import { memo, useRef } from 'react'
import type { Schemas } from '../api/client'
import { cut, type Mark } from '../ui/marks'
import { useNear } from '../ui/near'
import type { Block } from './text'

export type Quote = Schemas['DocumentQuote']

/** A span of a text that is to be shown, as "start-end" in bytes. */
export const spanOf = (q: { start_byte: number; end_byte: number }) => `${q.start_byte}-${q.end_byte}`

const target = '#target'
interface Props {
  bytes: Uint8Array
  block: Block
  quotes: Quote[] // that have something in the block
  chosen: string // a concept
  start?: number | undefined // of the target, where it has something in the block
  end?: number | undefined
  first: number // byte that is scrolled to, where it is in the block; else -1
  choose: (quotes: Quote[]) => void
}

/** MarkedBlock shows a part of a text with its marks, once it is near to what is in view. A click on a mark chooses what is quoted there, the shortest quote first. */
export const MarkedBlock = memo(function MarkedBlock({ bytes, block, quotes, chosen, start, end, first, choose }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const seen = useNear(box)
  const marks = seen || first >= 0
  return (
    <div ref={box} className="block" data-start={block.start}>
      {marks ? <Pieces bytes={bytes} block={block} quotes={quotes} chosen={chosen} start={start} end={end} first={first} choose={choose} /> : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(block.start, block.end))}
    </div>
  )
})

function Pieces({ bytes, block, quotes, chosen, start, end, first, choose }: Props) {
  const marks: Mark[] = quotes.map((q, i) => ({ start: q.start_byte, end: q.end_byte, id: String(i) }))
  if (start !== undefined && end !== undefined) marks.push({ start, end, id: target })
  const pieces = cut(bytes, marks, block.start, block.end)
  const scrolled = pieces.find((p) => p.start >= first && p.ids.length > 0)
  return pieces.map((p) => {
    if (p.ids.length === 0) return p.text
    const here = p.ids.filter((id) => id !== target).map((id) => quotes[Number(id)]!)
    const shows = here.some((q) => (q.concepts ?? []).length > 0)
    const kind = [p.ids.includes(target) ? 'target' : '', here.some((q) => q.concepts?.some((c) => c.concept_id === chosen)) ? 'chosen' : '', here.length > 0 && !shows ? 'stated' : ''].join(' ')
    return (
      <mark key={p.start} className={kind.trim() || undefined} data-target={first >= 0 && p === scrolled ? '' : undefined} title={here.length > 0 ? titleOf(here) : undefined} onClick={here.length > 0 ? () => choose(here) : undefined}>
        {p.text}
      </mark>
    )
  })
}

const titled = 6 // names in the title of a mark

function titleOf(quotes: Quote[]): string {
  const names = new Set(quotes.flatMap((q) => [...(q.concepts ?? []).map((c) => c.name), ...(q.relationships ?? []).map(said)]))
  return [...names].slice(0, titled).join(', ') + (names.size > titled ? ', …' : '')
}

/** said is a relationship in words. */
export const said = (r: Schemas['QuotedRelationship']) => `${r.from_name} ${r.relationship_type.toLowerCase().replaceAll('_', ' ')} ${r.to_name}`
