import { useState, type FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { useSigned } from '../signin/session'
import { statusNames } from '../ui/format'
import { common, fields, hints, readFilter, views, writeFilter, type Filter } from './filter'

/** Filters takes all that the API filters jobs by, and applies it to the address. */
export function Filters({ filter }: { filter: Filter }) {
  const [, go] = useLocation()
  const apply = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    const form = new FormData(e.currentTarget)
    const next = readFilter('?' + new URLSearchParams([...form].map(([k, v]) => [k, String(v)])))
    const query = writeFilter(next)
    go('/jobs' + (query && '?' + query))
  }
  const rare = fields.filter((f) => !common.includes(f))
  return (
    <form onSubmit={apply} aria-label="Filters">
      <div className="filters">
        <label>
          Status
          <select name="status" defaultValue={filter.status ?? ''} onChange={(e) => e.currentTarget.form?.requestSubmit()}>
            <option value="">any</option>
            {Object.entries(statusNames).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
            {filter.status && !statusNames[filter.status] && <option value={filter.status}>{filter.status}</option>}
          </select>
        </label>
        <label>
          Type
          <input name="job_type" defaultValue={filter.job_type} placeholder="ingestion" size={12} />
        </label>
        <label>
          Ontology
          <input name="ontology" defaultValue={filter.ontology} size={12} />
        </label>
        <label>
          File
          <input name="file" defaultValue={filter.file} size={12} />
        </label>
        <label>
          Error
          <input name="error" defaultValue={filter.error} size={12} />
        </label>
        <label>
          Age
          <input name="age" defaultValue={filter.age} placeholder="<7d" size={8} />
        </label>
        <label>
          Order
          <select name="sort" defaultValue={filter.sort ?? ''} onChange={(e) => e.currentTarget.form?.requestSubmit()}>
            <option value="">newest</option>
            <option value="oldest">oldest</option>
            <option value="started">started last</option>
            <option value="ended">ended last</option>
            <option value="priority">what runs next</option>
          </select>
        </label>
        <button>Filter</button>
        {writeFilter(filter) && <Link href="/jobs">Clear</Link>}
      </div>
      <details open={rare.some((f) => filter[f])}>
        <summary>More filters</summary>
        <div className="filters">
          {rare.map((f) => (
            <label key={f}>
              {hints[f]?.[0] ?? f}
              <input name={f} defaultValue={filter[f]} placeholder={hints[f]?.[1]} size={14} />
            </label>
          ))}
        </div>
      </details>
    </form>
  )
}

interface Kept {
  name: string
  query: string
}

/** Views are filters with a name: those that everybody has, and those that this browser keeps for a user. */
export function Views({ query }: { query: string }) {
  const key = 'kappa-job-views-' + useSigned().session.user.id
  const [kept, setKept] = useState<Kept[]>(() => read(key))
  const keep = (next: Kept[]) => {
    localStorage.setItem(key, JSON.stringify(next))
    setKept(next)
  }
  const save = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    const name = String(new FormData(e.currentTarget).get('view')).trim()
    if (name) keep([...kept.filter((k) => k.name !== name), { name, query }])
    e.currentTarget.reset()
  }
  const all = [...views.map(([name, filter]) => ({ name, query: writeFilter(filter) })), ...kept]
  const own = kept.find((k) => k.query === query)
  return (
    <nav aria-label="Views" className="views">
      <ul className="chips">
        {all.map((v) => (
          <li key={v.name + v.query}>
            <Link href={'/jobs?' + v.query} aria-current={v.query === query ? 'page' : undefined}>{v.name}</Link>
          </li>
        ))}
      </ul>
      {own && <button onClick={() => keep(kept.filter((k) => k !== own))}>Forget this view</button>}
      {query && !all.some((v) => v.query === query) && (
        <form onSubmit={save}>
          <input name="view" aria-label="Name of this view" placeholder="Name of this view" maxLength={40} required size={16} /> <button>Keep the view</button>
        </form>
      )}
    </nav>
  )
}

function read(key: string): Kept[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter((k): k is Kept => typeof k?.name === 'string' && typeof k?.query === 'string').slice(0, 50) : []
  } catch {
    return []
  }
}
