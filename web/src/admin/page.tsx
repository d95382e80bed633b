import { lazy, Suspense, type ComponentType } from 'react'
import { useLocation } from 'wouter'
import { useMay, useMayAll } from '../signin/session'
import { Empty, Loading, Page } from '../ui/page'
import { Tabs } from '../ui/tabs'
import { AccountsTab, AccountTab } from './accounts'
import { AuditTab } from './audit'
import { BackupsTab } from './backups'
import { ChecksTab } from './checks'
import { GroupsTab } from './groups'
import { KeysTab } from './keys'
import { RolesTab } from './roles'
import { SettingsTab } from './settings'

const ModelsTab = lazy(() => import('./models'))
const StorageTab = lazy(() => import('./storage'))

interface Tab {
  path: string
  name: string
  needs: [resource: string, action: string]
  all?: true // not only what is one's own
  show: ComponentType
}

const tabs: Tab[] = [
  { path: '/admin', name: 'Checks', needs: ['admin', 'status'], show: ChecksTab },
  { path: '/admin/accounts', name: 'Accounts', needs: ['users', 'read'], show: AccountsTab },
  { path: '/admin/roles', name: 'Roles', needs: ['roles', 'read'], show: RolesTab },
  { path: '/admin/groups', name: 'Groups', needs: ['rbac', 'read'], show: GroupsTab },
  { path: '/admin/keys', name: 'API keys', needs: ['api_keys', 'read'], all: true, show: KeysTab },
  { path: '/admin/audit', name: 'Audit', needs: ['audit', 'read'], show: AuditTab },
  { path: '/admin/models', name: 'Models', needs: ['extraction_config', 'read'], show: ModelsTab },
  { path: '/admin/backups', name: 'Backups', needs: ['backups', 'read'], show: BackupsTab },
  { path: '/admin/storage', name: 'Storage', needs: ['storage', 'read'], show: StorageTab },
  { path: '/admin/settings', name: 'Settings', needs: ['admin', 'status'], show: SettingsTab },
]

/** AdminPage shows the parts of the administration that the role may see. */
export default function AdminPage() {
  const may = useMay()
  const mayAll = useMayAll()
  const [at, go] = useLocation()
  const seen = tabs.filter((t) => (t.all ? mayAll : may)(...t.needs))
  const account = /^\/admin\/accounts\/(\d+)$/.exec(at)
  const tab = seen.find((t) => t.path === at)
  if (!tab && at === '/admin' && seen[0]) go(seen[0].path, { replace: true })
  return (
    <Page title="Administration">
      <Tabs label="Administration" tabs={seen.map((t) => [t.path, t.name])} />
      <Suspense fallback={<Loading what="the page" />}>
        {account && may('users', 'read') ? <AccountTab key={account[1]} id={Number(account[1])} /> : tab ? <tab.show /> : <Empty title="There is no page at this address.">Choose one above.</Empty>}
      </Suspense>
    </Page>
  )
}
