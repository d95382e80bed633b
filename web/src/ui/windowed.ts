import { useLayoutEffect, useState, type RefObject } from 'react'

/** Part is what of a long list is rendered: the rows from one up to but not including another, and the height in pixels of what is left out before and after them. */
export interface Part {
  from: number
  to: number
  before: number
  after: number
}

const all = 100 // rows of a list that is rendered whole
const spare = 12 // rows that are rendered before and after those in view

/** partOf returns what of count rows of a height is in view of a window, when the first row begins at top, in pixels from the window's upper edge. */
export function partOf(count: number, height: number, top: number, view: number): Part {
  if (count <= all) return { from: 0, to: count, before: 0, after: 0 }
  const from = Math.min(Math.max(0, Math.floor(-top / height) - spare), count)
  const to = Math.max(from, Math.min(count, Math.ceil((view - top) / height) + spare))
  return { from, to, before: from * height, after: (count - to) * height }
}

/** useWindowed renders of a long list, whose rows are all as high as the first, what is in view. rows is the element of the rows. */
export function useWindowed(count: number, rows: RefObject<HTMLElement | null>): Part {
  const [part, setPart] = useState<Part>(() => partOf(count, 48, 0, window.innerHeight))
  useLayoutEffect(() => {
    let frame: number | undefined
    const measure = () => {
      frame = undefined
      const el = rows.current
      if (!el) return
      const row = el.querySelector<HTMLElement>('[data-row]')
      const next = partOf(count, row?.getBoundingClientRect().height || 48, el.getBoundingClientRect().top, window.innerHeight)
      setPart((now) => (now.from === next.from && now.to === next.to && now.before === next.before && now.after === next.after ? now : next))
    }
    const later = () => (frame ??= requestAnimationFrame(measure))
    measure()
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame)
      removeEventListener('scroll', later)
      removeEventListener('resize', later)
    }
  }, [count, rows])
  return part.to > count ? { ...part, from: Math.min(part.from, count), to: count, after: 0 } : part
}
