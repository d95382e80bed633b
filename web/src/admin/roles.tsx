import { Fragment } from 'react'
import { useSearchParams } from 'wouter'
import { del, post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { textOf } from '../ui/field'
import { Empty } from '../ui/page'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { cellOf, type Cell } from './matrix'

type Role = Schemas['Role']

/** RolesTab lists the roles, and shows of each what it may do, and by which right. */
export function RolesTab() {
  const may = useMay()
  const [ask, dialog] = useAct()
  const roles = useRead<Role[]>('/rbac/roles?include_inactive=true')
  const custom = roles.data?.some((r) => !r.is_builtin)
  const parents = (roles.data ?? []).map((r): [string, string] => [r.role_name, r.display_name])
  const create = () =>
    ask({
      title: 'New role', confirm: 'Make the role',
      fields: [
        { name: 'role_name', label: 'Name', required: true, help: 'lower-case letters, digits and _' },
        { name: 'display_name', label: 'Called', required: true },
        { name: 'description', label: 'What it is for' },
        { name: 'parent_role', label: 'Has all rights of', kind: 'select', options: parents },
      ],
      run: async (v) => {
        await post('/rbac/roles', { role_name: v.role_name, display_name: v.display_name, ...(v.description && { description: v.description }), ...(v.parent_role && { parent_role: v.parent_role }) })
        return 'The role is made.'
      },
    })
  const change = (r: Role) =>
    ask({
      title: `Change the role ${r.display_name}`, confirm: 'Change the role',
      fields: [
        { name: 'display_name', label: 'Called', required: true, value: r.display_name },
        { name: 'description', label: 'What it is for', value: r.description ?? '' },
        { name: 'is_active', label: 'in force', kind: 'check', value: r.is_active },
      ],
      changes: (v) => [
        ...(v.display_name !== r.display_name ? [`Called: ${r.display_name} → ${textOf(v.display_name)}`] : []),
        ...(v.description !== (r.description ?? '') ? ['What it is for'] : []),
        ...(v.is_active !== r.is_active ? [v.is_active ? 'It counts again' : 'It grants nothing more'] : []),
      ],
      run: async (v) => (await request('PUT', '/rbac/roles/' + encodeURIComponent(r.role_name), { display_name: v.display_name, description: v.description, is_active: v.is_active }), 'The role is changed.'),
    })
  const remove = (r: Role) =>
    ask({ title: `Delete the role ${r.display_name}?`, confirm: 'Delete the role', danger: true, text: 'This is refused while somebody has it.', run: async () => (await del('/rbac/roles/' + encodeURIComponent(r.role_name)), 'The role is deleted.') })
  return (
    <>
      <Part title="Roles" query={roles} aside={may('rbac', 'create') && <button className="primary" onClick={create}>New role…</button>}>
        {(data) => (
          <Table label="Roles" rows={data} keyOf={(r) => r.role_name} empty="There is no role."
            columns={[
              { head: 'Role', cell: (r) => <>{r.display_name}<small className="muted">{r.role_name}</small></>, kind: 'name' },
              { head: 'For', cell: (r) => r.description, kind: 'name' },
              { head: 'Has the rights of', cell: (r) => r.parent_role },
              { head: 'Kind', cell: (r) => (r.is_builtin ? 'built in' : r.is_active ? 'own' : <span className="warning">not in force</span>) },
              custom && may('rbac', 'write') && { head: 'Change', cell: (r) => !r.is_builtin && <button onClick={() => change(r)} aria-label={`Change the role ${r.role_name}`}>Change…</button> },
              custom && may('rbac', 'delete') && { head: 'Delete', cell: (r) => !r.is_builtin && <button onClick={() => remove(r)} aria-label={`Delete the role ${r.role_name}`}>Delete…</button> },
            ]} />
        )}
      </Part>
      {may('rbac', 'read') && roles.data && <Matrix roles={roles.data} />}
      {dialog}
    </>
  )
}

/** Matrix shows what each role may do with each kind of thing; a chosen cell says why. */
function Matrix({ roles }: { roles: Role[] }) {
  const may = useMay()
  const [ask, dialog] = useAct()
  const [search, setSearch] = useSearchParams()
  const grants = useRead<Schemas['RoleGrant'][]>('/rbac/permissions')
  const resources = useRead<Schemas['ResourceType'][]>('/rbac/resources')
  const of = search.get('of') ?? ''
  const [role = '', resource = '', action = ''] = (search.get('why') ?? '').split(':')
  const put = (name: string, value: string) =>
    setSearch((was) => {
      const next = new URLSearchParams(was)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    }, { replace: true })
  const custom = roles.find((r) => r.role_name === role && !r.is_builtin)
  const set = (granted: boolean) =>
    ask({
      title: `${granted ? 'Grant' : 'Deny'} ${resource}:${action} ${granted ? 'to' : 'for'} ${role}`, confirm: granted ? 'Grant it' : 'Deny it',
      fields: [{ name: 'scope_type', label: 'For', kind: 'select', required: true, value: 'global', options: [['global', 'all'], ['own', 'what one owns'], ['instance', 'one, by its id']] }, { name: 'scope_id', label: 'Its id, for one alone' }],
      run: async (v) => (await post('/rbac/permissions', { role_name: role, resource_type: resource, action, granted, scope_type: v.scope_type, ...(v.scope_id && { scope_id: v.scope_id }) }), 'It counts from the next request on.'),
    })
  const register = () =>
    ask({
      title: 'New kind of things', confirm: 'Register', text: 'Of another program, which asks this server who may do what with them.',
      fields: [
        { name: 'resource_type', label: 'Name', required: true, help: 'lower-case letters, digits and _' },
        { name: 'actions', label: 'What may be done with them', required: true, help: 'separated by commas, such as read, write' },
        { name: 'description', label: 'What they are' },
        { name: 'supports_scoping', label: 'a right may be limited to some of them', kind: 'check', value: false },
      ],
      run: async (v) => {
        const actions = textOf(v.actions).split(',').map((a) => a.trim()).filter(Boolean)
        await post('/rbac/resources', { resource_type: v.resource_type, available_actions: actions, supports_scoping: v.supports_scoping === true, ...(v.description && { description: v.description }) })
        return 'The kind is registered.'
      },
    })
  const take = (id: number) => ask({ title: 'Take this right back?', confirm: 'Take it back', danger: true, run: async () => (await del('/rbac/permissions/' + id), 'It counts from the next request on.') })
  return (
    <Part title="What each role may do" query={grants} aside={may('rbac', 'create') && <button onClick={register}>New kind of things…</button>}>
      {(data) => {
        const kinds = (resources.data ?? []).filter((r) => !of || r.resource_type === of)
        const cell: Cell | null = role ? cellOf(data, roles, role, resource, action) : null
        return (
          <>
            <div className="filters">
              <label>
                Of
                <select value={of} onChange={(e) => put('of', e.target.value)}>
                  <option value="">everything</option>
                  {(resources.data ?? []).map((r) => (
                    <option key={r.resource_type}>{r.resource_type}</option>
                  ))}
                </select>
              </label>
            </div>
            <p role="status" className="actions">
              {cell ? (
                <>
                  <span>
                    <strong>{role}</strong>, {resource}:{action}: {cell.reach ? `may (${cell.reach})` : 'may not'}, {cell.why}.
                  </span>
                  {custom && may('rbac', 'write') && <button onClick={() => set(true)}>Grant…</button>}
                  {custom && may('rbac', 'write') && <button onClick={() => set(false)}>Deny…</button>}
                  {custom && cell.grant && may('rbac', 'delete') && <button onClick={() => take(cell.grant!.id)}>Take back…</button>}
                </>
              ) : (
                <span className="muted">Choose a cell to see why.</span>
              )}
            </p>
            {kinds.length === 0 ? <Empty title="There is nothing of this kind." /> : (
              <div className="scroll matrix" tabIndex={0} role="region" aria-label="What each role may do">
                <table>
                  <thead>
                    <tr>
                      <th>Right</th>
                      {roles.map((r) => <th key={r.role_name}>{r.role_name}</th>)}
                    </tr>
                  </thead>
                  <tbody>
                    {kinds.map((k) => (
                      <Fragment key={k.resource_type}>
                        {(k.available_actions ?? []).map((a) => (
                          <tr key={a}>
                            <th scope="row">{k.resource_type}:{a}</th>
                            {roles.map((r) => {
                              const c = cellOf(data, roles, r.role_name, k.resource_type, a)
                              const id = `${r.role_name}:${k.resource_type}:${a}`
                              return (
                                <td key={r.role_name}>
                                  <button className="link" aria-pressed={search.get('why') === id} aria-label={`${r.role_name}, ${k.resource_type}:${a}: ${c.reach || 'no'}`} title={c.why} onClick={() => put('why', id)}>
                                    {c.reach || '–'}
                                  </button>
                                </td>
                              )
                            })}
                          </tr>
                        ))}
                      </Fragment>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            {dialog}
          </>
        )
      }}
    </Part>
  )
}
