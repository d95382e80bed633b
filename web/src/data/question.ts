/** A question in SQL, and where the tables are that it names. */
export interface Question {
  sql: string
  datasets: { table_name: string; url: string }[]
  limit: number
}

const most = 1000 // rows, unless something else is asked for

/** read reads a question from the address of the page: sql, limit, and t=NAME|URL for each table. */
export function read(search: URLSearchParams): Question {
  const datasets = search.getAll('t').flatMap((t) => {
    const at = t.indexOf('|')
    return at > 0 ? [{ table_name: t.slice(0, at), url: t.slice(at + 1) }] : []
  })
  return { sql: search.get('sql') ?? '', datasets, limit: Math.min(10_000, Math.max(1, Number(search.get('limit')) || most)) }
}

/** write writes it there. */
export function write(q: Question): URLSearchParams {
  const search = new URLSearchParams()
  if (q.sql) search.set('sql', q.sql)
  if (q.limit !== most) search.set('limit', String(q.limit))
  for (const d of q.datasets) search.append('t', d.table_name + '|' + d.url)
  return search
}

/** tableNamed makes the name of a table from that of a file or an address: letters, digits and _, none of another one. */
export function tableNamed(file: string, taken: string[]): string {
  const name = (file.split(/[/?#]/).filter(Boolean).pop() ?? '').replace(/\.parquet$/i, '').toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '').replace(/^(\d)/, 't$1') || 't'
  let free = name
  for (let i = 2; taken.includes(free); i++) free = name + i
  return free
}

/** csv writes rows as RFC 4180 wants them. */
export function csv(columns: string[], rows: Record<string, unknown>[]): string {
  const text = (v: unknown) => (v == null ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v))
  const cell = (v: unknown) => (/[",\r\n]/.test(text(v)) ? `"${text(v).replaceAll('"', '""')}"` : text(v))
  return [columns.map(cell), ...rows.map((r) => columns.map((c) => cell(r[c])))].map((cells) => cells.join(',') + '\r\n').join('')
}
