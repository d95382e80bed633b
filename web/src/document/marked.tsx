import { memo, useMemo } from 'react'
import { cut, type Mark } from '../ui/marks'
import { target } from './text'

/** MarkedText shows a text with its marks; a click on one chooses its concept. */
export const MarkedText = memo(function MarkedText({ text, marks, chosen, choose, names }: { text: string; marks: Mark[]; chosen: string; choose: (id: string) => void; names: Map<string, string> }) {
  const pieces = useMemo(() => cut(text, marks), [text, marks])
  const first = pieces.find((p) => p.ids.includes(target)) ?? pieces.find((p) => chosen !== '' && p.ids.includes(chosen))
  return (
    <>
      {pieces.map((p) => {
        if (p.ids.length === 0) return p.text
        const concepts = p.ids.filter((id) => id !== target)
        const isTarget = p.ids.includes(target)
        const kind = [isTarget ? 'target' : '', concepts.includes(chosen) ? 'chosen' : ''].join(' ').trim()
        return (
          <mark
            key={p.start}
            className={kind || undefined}
            data-target={p === first ? '' : undefined}
            title={concepts.map((id) => names.get(id)).filter(Boolean).join(', ') || undefined}
            onClick={concepts.length > 0 ? () => choose(concepts[(concepts.indexOf(chosen) + 1) % concepts.length]!) : undefined}
          >
            {p.text}
          </mark>
        )
      })}
    </>
  )
})
