import { Link, useLocation } from 'wouter'

/** Tabs lead to the parts of a page that have an address each. */
export function Tabs({ label, tabs }: { label: string; tabs: [path: string, name: string][] }) {
  const [at] = useLocation()
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([path, name]) => (
        <Link key={path} href={path} aria-current={at === path ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
