import { useState } from 'react'
import { Link } from 'wouter'
import type { Schemas } from '../api/client'
import { count } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { bytes, instant } from '../ui/units'

const page = 50 // documents

const hashOf = (key: string) => key.slice(key.indexOf('/') + 1)

/** Objects lists the stored documents by their hash, a page at a time. */
export function Objects() {
  const [offset, setOffset] = useState(0)
  const list = useRead<Schemas['ObjectList']>(`/admin/storage/objects?limit=${page}&offset=${offset}`)
  const objects = list.data?.objects ?? []
  const isLast = offset + objects.length >= (list.data?.total ?? 0) || objects.length < page
  return (
    <Part title="Stored documents" query={list}
      aside={(offset > 0 || !isLast) && (
        <span className="actions">
          <button disabled={offset === 0} onClick={() => setOffset(offset - page)}>Back</button>
          <button disabled={isLast} onClick={() => setOffset(offset + page)}>More</button>
        </span>
      )}>
      {(data) => (
        <>
          <Table label="Stored documents" rows={objects} keyOf={(o) => o.key} empty="No document is stored."
            columns={[
              { head: 'Document', cell: (o) => <Link href={'/documents/' + encodeURIComponent(hashOf(o.key))}><code>{hashOf(o.key)}</code></Link>, kind: 'name' },
              { head: 'Size', cell: (o) => bytes(o.size), kind: 'num' },
              { head: 'Stored', cell: (o) => instant(o.last_modified), kind: 'num' },
            ]} />
          {objects.length > 0 && <p className="muted">{count(offset + 1)} to {count(offset + objects.length)} of about {count(data.total)}.</p>}
        </>
      )}
    </Part>
  )
}
