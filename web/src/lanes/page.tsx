import { lazy, Suspense } from 'react'
import { useLocation } from 'wouter'
import { useMay } from '../signin/session'
import { Empty, Loading, Page } from '../ui/page'
import { Tabs } from '../ui/tabs'
import { HoldsTab } from './holds'
import { Lanes } from './lanes'
import { ProvidersTab } from './providers'
import { Remote } from './remote'
import { SchedulesTab } from './schedules'
import { TypesTab } from './types'
import { Workers } from './workers'

// The chart is loaded after what stands above it.
const LastHour = lazy(() => import('./hour'))

/** LanesPage shows where jobs run, and what steers them: lanes and workers, schedules, pauses and limits, providers, job types. */
export default function LanesPage() {
  const [at] = useLocation()
  const may = useMay()
  const tabs: [string, string][] = [['/lanes', 'Lanes and workers'], ['/lanes/schedules', 'Schedules'], ['/lanes/holds', 'Pauses and limits'], ...(may('admin', 'status') ? [['/lanes/providers', 'Providers'] as [string, string]] : []), ['/lanes/types', 'Job types']]
  return (
    <Page title="Lanes and workers">
      <Tabs label="Lanes and workers" tabs={tabs} />
      {at === '/lanes' ? (
        <>
          <Lanes />
          <Suspense fallback={<Loading what="the last hour" />}>
            <LastHour />
          </Suspense>
          <Workers />
          <Remote />
        </>
      ) : at === '/lanes/schedules' ? <SchedulesTab /> : at === '/lanes/holds' ? <HoldsTab /> : at === '/lanes/providers' && may('admin', 'status') ? <ProvidersTab /> : at === '/lanes/types' ? <TypesTab /> : (
        <Empty title="There is no page at this address.">Choose one above.</Empty>
      )}
    </Page>
  )
}
