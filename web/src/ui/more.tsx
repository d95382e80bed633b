import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { rarePages } from '../pages'
import { useMay } from '../signin/session'

/** More leads to the pages that are opened rarely. It closes when one was chosen, with Escape, and when the focus leaves it. */
export function More({ at }: { at: string }) {
  const may = useMay()
  const ref = useRef<HTMLDetailsElement>(null)
  const close = () => ref.current?.removeAttribute('open')
  useEffect(close, [at])
  return (
    <details
      ref={ref}
      className="more"
      onBlur={(e) => !e.currentTarget.contains(e.relatedTarget) && close()}
      onKeyDown={(e) => {
        if (e.key !== 'Escape') return
        close()
        ref.current?.querySelector('summary')?.focus()
      }}
    >
      <summary>More</summary>
      <div>
        {rarePages
          .filter((p) => p.may(may))
          .map((p) => (
            <Link key={p.path} href={p.path} aria-current={at.startsWith(p.path) ? 'page' : undefined} onClick={close}>
              {p.name}
            </Link>
          ))}
      </div>
    </details>
  )
}
