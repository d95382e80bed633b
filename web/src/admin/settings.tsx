import { useSearchParams } from 'wouter'
import type { Schemas } from '../api/client'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'

const sources: Record<string, string> = { default: 'default', flag: 'flag', environment: 'environment', file: 'settings file' }

/** SettingsTab shows how the server that answers is set, and where each setting comes from. */
export function SettingsTab() {
  const [search, setSearch] = useSearchParams()
  const settings = useRead<Schemas['ServerSettings']>('/admin/settings')
  const all = search.get('all') === '1'
  const typed = search.get('q') ?? ''
  const put = (name: string, value: string) =>
    setSearch((was) => {
      const next = new URLSearchParams(was)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    }, { replace: true })
  return (
    <Part title="Settings in force" query={settings}>
      {(data) => {
        const rows = (data.settings ?? []).filter((s) => (all || typed || s.source !== 'default') && (s.name + ' ' + s.help).toLowerCase().includes(typed.toLowerCase()))
        return (
          <>
            <div className="filters">
              <label>
                Name or words
                <input type="search" value={typed} onChange={(e) => put('q', e.target.value)} />
              </label>
              <label className="check">
                <input type="checkbox" checked={all} onChange={(e) => put('all', e.target.checked ? '1' : '')} />
                those at their default too
              </label>
            </div>
            <Table label="Settings in force" rows={rows} keyOf={(s) => s.name} empty="Every setting is at its default."
              columns={[
                { head: 'Setting', cell: (s) => <><code>{s.name}</code><small className="muted">{s.help}</small></>, kind: 'name' },
                { head: 'Value', cell: (s) => (s.source === 'default' ? <span className="muted">{s.default}</span> : (s.value ?? 'set, not shown')), kind: 'name' },
                { head: 'From', cell: (s) => sources[s.source] },
                { head: 'Default', cell: (s) => s.default },
                { head: 'Must be', cell: (s) => s.rule },
              ]} />
          </>
        )
      }}
    </Part>
  )
}
