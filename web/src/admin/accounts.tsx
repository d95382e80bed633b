import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { del, post, request, type Schemas } from '../api/client'
import { useMay, useSigned } from '../signin/session'
import { useAct, type Act } from '../ui/act'
import { Secret } from '../account/keys'
import { textOf } from '../ui/field'
import { ago, count } from '../ui/format'
import { Section } from '../ui/page'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { instant } from '../ui/units'
import { Why } from './why'

type User = Schemas['User']

const shown = 50 // accounts of a page

/** useRoleNames returns the roles that an account can be given. */
const useRoleNames = () => useRead<Schemas['Role'][]>('/rbac/roles').data?.filter((r) => r.is_active).map((r): [string, string] => [r.role_name, r.display_name]) ?? []

/** newPassword is one that nobody has to think of: 20 letters and digits. */
const newPassword = () => [...crypto.getRandomValues(new Uint8Array(20))].map((n) => 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'[n % 56]).join('')

export function AccountsTab() {
  const may = useMay()
  const [search, setSearch] = useSearchParams()
  const [ask, dialog] = useAct()
  const roles = useRoleNames()
  const skip = Number(search.get('skip') ?? 0)
  const role = search.get('role') ?? ''
  const users = useRead<Schemas['UserList']>(`/users?limit=${shown}&skip=${skip}${role && '&role=' + encodeURIComponent(role)}`)
  const create = () =>
    ask({
      title: 'New account', confirm: 'Make the account',
      fields: [
        { name: 'username', label: 'Name', required: true },
        { name: 'role', label: 'Role', kind: 'select', required: true, value: 'contributor', options: roles },
        { name: 'password', label: 'Password', kind: 'password', help: 'empty: one is made and shown to you once' },
      ],
      run: async (v) => {
        const password = textOf(v.password) || newPassword()
        const made = await post<User>('/users', { username: v.username, role: v.role, password })
        return v.password ? `The account ${made.username} is made.` : <Secret what={`The account ${made.username} is made, with this password`} text={password} />
      },
    })
  return (
    <Part title="Accounts" query={users} aside={may('users', 'create') && <button className="primary" onClick={create}>New account…</button>}>
      {(data) => (
        <>
          <div className="filters">
            <label>
              Role
              <select value={role} onChange={(e) => setSearch(e.target.value ? { role: e.target.value } : {})}>
                <option value="">any</option>
                {roles.map(([name, label]) => (
                  <option key={name} value={name}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <Table label="Accounts" rows={data.users ?? []} keyOf={(u) => u.id} empty="No account has this role."
            columns={[
              { head: 'Name', cell: (u) => <><Link href={'/admin/accounts/' + u.id}>{u.username}</Link>{u.disabled && <small className="warning">disabled</small>}</>, kind: 'name' },
              { head: 'Role', cell: (u) => u.role },
              { head: 'Last sign-in', cell: (u) => (u.last_login ? ago(u.last_login) : 'never'), kind: 'num' },
              { head: 'Since', cell: (u) => instant(u.created_at), kind: 'num' },
            ]} />
          <p className="actions">
            <span className="muted">
              {count(Math.min(skip + 1, data.total))}–{count(Math.min(skip + shown, data.total))} of {count(data.total)}
            </span>
            {skip > 0 && <button onClick={() => setSearch({ ...(role && { role }), skip: String(Math.max(0, skip - shown)) })}>Before</button>}
            {skip + shown < data.total && <button onClick={() => setSearch({ ...(role && { role }), skip: String(skip + shown) })}>Next</button>}
          </p>
          {dialog}
        </>
      )}
    </Part>
  )
}

/** actsOn are what can be done with an account. Nobody disables or deletes the own one here. */
function actsOn(u: User, roles: [string, string][], gone: () => void): Record<'role' | 'password' | 'disable' | 'remove', Act> {
  const path = '/users/' + u.id
  return {
    role: {
      title: `Change the role of ${u.username}`, confirm: 'Change the role', fields: [{ name: 'role', label: 'Role', kind: 'select', required: true, value: u.role, options: roles }],
      changes: (v) => (v.role === u.role ? [] : [`Role: ${u.role} → ${textOf(v.role)}`, 'It counts from the next request on']),
      run: async (v) => (await request('PUT', path, { role: v.role }), 'The role is changed.'),
    },
    password: {
      title: `Reset the password of ${u.username}`, confirm: 'Reset the password', text: 'All that acts for the account ends: sessions, clients, tokens and API keys.',
      fields: [{ name: 'password', label: 'New password', kind: 'password', help: 'empty: one is made and shown to you once' }],
      run: async (v) => {
        const password = textOf(v.password) || newPassword()
        await post(path + '/reset-password', { new_password: password })
        return v.password ? 'The password is reset.' : <Secret what={`The new password of ${u.username}`} text={password} />
      },
    },
    disable: {
      title: u.disabled ? `Enable ${u.username}?` : `Disable ${u.username}?`, confirm: u.disabled ? 'Enable' : 'Disable', danger: !u.disabled,
      text: u.disabled ? 'The account can sign in again.' : 'Nothing acts for the account any more, from the next request on. Its jobs go on.',
      run: async () => (await request('PUT', path, { disabled: !u.disabled }), u.disabled ? 'The account is enabled.' : 'The account is disabled.'),
    },
    remove: {
      title: `Delete ${u.username}?`, confirm: 'Delete the account', danger: true, text: 'It is gone for good; its jobs stay.',
      run: async () => {
        await del(path)
        gone()
        return 'The account is deleted.'
      },
    },
  }
}

export function AccountTab({ id }: { id: number }) {
  const may = useMay()
  const { session } = useSigned()
  const [, go] = useLocation()
  const [ask, dialog] = useAct()
  const roles = useRoleNames()
  const [gone, setGone] = useState(false)
  const user = useRead<User>('/users/' + id, { enabled: !gone })
  const acts = user.data && actsOn(user.data, roles, () => (setGone(true), go('/admin/accounts')))
  const other = id !== session.user.id
  return (
    <>
      <Part title={user.data?.username ?? 'Account'} query={user}
        aside={acts && (
          <span className="actions">
            {may('users', 'write') && <button onClick={() => ask(acts.role)}>Role…</button>}
            {may('users', 'write') && other && <button onClick={() => ask(acts.password)}>Reset password…</button>}
            {may('users', 'write') && other && <button onClick={() => ask(acts.disable)}>{user.data?.disabled ? 'Enable…' : 'Disable…'}</button>}
            {may('users', 'delete') && other && <button onClick={() => ask(acts.remove)}>Delete…</button>}
          </span>
        )}>
        {(u) => (
          <dl className="pairs">
            <dt>Role</dt>
            <dd>{u.role}</dd>
            <dt>State</dt>
            <dd>{u.disabled ? <span className="warning">disabled</span> : 'may sign in'}</dd>
            <dt>Last sign-in</dt>
            <dd>{u.last_login ? instant(u.last_login) : 'never'}</dd>
            <dt>Since</dt>
            <dd>{instant(u.created_at)}</dd>
          </dl>
        )}
      </Part>
      {may('rbac', 'read') && <Assigned id={id} roles={roles} />}
      {may('rbac', 'read') && user.data && <Section title={`What ${user.data.username} may do, and why`}><Why user={id} /></Section>}
      <p>
        <Link href="/admin/accounts">All accounts</Link>
      </p>
      {dialog}
    </>
  )
}

/** Assigned are the roles that an account has besides its own. */
function Assigned({ id, roles }: { id: number; roles: [string, string][] }) {
  const may = useMay()
  const [ask, dialog] = useAct()
  const list = useRead<Schemas['RoleAssignment'][] | null>('/rbac/user-roles/' + id)
  const add = () =>
    ask({
      title: 'Give another role', confirm: 'Give the role', fields: [{ name: 'role', label: 'Role', kind: 'select', required: true, options: roles, value: roles[0]?.[0] ?? '' }],
      run: async (v) => (await post('/rbac/user-roles', { user_id: id, role_name: v.role }), 'The role is given.'),
    })
  const take = (a: Schemas['RoleAssignment']) =>
    ask({ title: `Take the role ${a.role_name} away?`, confirm: 'Take it away', danger: true, run: async () => (await del('/rbac/user-roles/' + a.id), 'The role is taken away.') })
  return (
    <Part title="Roles besides" query={list} aside={may('rbac', 'write') && <button onClick={add}>Give another role…</button>}>
      {(data) => (
        <>
          <Table label="Roles besides" rows={data ?? []} keyOf={(a) => a.id} empty="None but that of the account."
            columns={[
              { head: 'Role', cell: (a) => a.role_name },
              { head: 'Since', cell: (a) => instant(a.assigned_at), kind: 'num' },
              { head: 'Until', cell: (a) => (a.expires_at ? instant(a.expires_at) : 'taken away'), kind: 'num' },
              may('rbac', 'delete') && { head: 'Take away', cell: (a) => <button onClick={() => take(a)} aria-label={`Take away: ${a.role_name}`}>Take away…</button> },
            ]} />
          {dialog}
        </>
      )}
    </Part>
  )
}
