import { useEffect, useState, type RefObject } from 'react'

const near = '1500px' // of the window

const waiting = new WeakMap<Element, () => void>()
const observer = new IntersectionObserver(
  (entries) => {
    for (const e of entries)
      if (e.isIntersecting) {
        waiting.get(e.target)?.()
        observer.unobserve(e.target)
      }
  },
  { rootMargin: near },
)

/** useNear reports whether an element has come near to what is in view: what is costly is done from then on. */
export function useNear(box: RefObject<Element | null>): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const el = box.current!
    waiting.set(el, () => setSeen(true))
    observer.observe(el)
    return () => observer.unobserve(el)
  }, [box])
  return seen
}
