// All routes: the path, the file of the page, the title, and the permission that the page requires.

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type AnyRoute,
  type AnyRouter,
} from '@tanstack/react-router'
import type { Permission } from '#api/me.ts'
import { ErrorPage, NotFoundPage } from '#shell/error-page.tsx'
import { Guard } from '#shell/guard.tsx'
import { WithOutage } from '#shell/outage.tsx'
import { SkeletonLines } from '#ui/states.tsx'
import { parseSearch, printSearch } from '#table/search.ts'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
    permission?: Permission
  }
}

type PageRoute = {
  path: string
  title: string
  permission?: Permission
  component: ReturnType<typeof lazyRouteComponent>
}

/** Pages that are shown without sign-in. */
const outside: PageRoute[] = [
  page('sign-in', 'Sign in', () => import('#pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
  page('sign-in/code', 'Sign in', () => import('#pages/sign-in/code-page.tsx'), 'CodePage'),
  page('welcome', 'Welcome', () => import('#pages/links/welcome-page.tsx'), 'WelcomePage'),
  page('invitation', 'Invitation', () => import('#pages/links/invitation-page.tsx'), 'InvitationPage'),
  page('forgotten', 'Forgot your password?', () => import('#pages/links/forgotten-page.tsx'), 'ForgottenPage'),
  page('reset', 'New password', () => import('#pages/links/reset-page.tsx'), 'ResetPage'),
]

/** Pages of a business in an environment, below `/b/{businessId}/{environment}`. */
const inside: PageRoute[] = [
  page('/', 'Home', () => import('#pages/home/home-page.tsx'), 'HomePage'),
  page('payments', 'Payments', () => import('#pages/payments/payments-page.tsx'), 'PaymentsPage', 'payments.see'),
  page(
    'payments/$reference',
    'Payment',
    () => import('#pages/payment/payment-page.tsx'),
    'PaymentPage',
    'payments.see',
  ),
  page('payouts/new', 'New payout', () => import('#pages/payout/payout-page.tsx'), 'PayoutPage', 'payouts.propose'),
  page('collect', 'New collection', () => import('#pages/collect/collect-page.tsx'), 'CollectPage', 'payouts.propose'),
  page('upload', 'Payouts from a file', () => import('#pages/upload/upload-page.tsx'), 'UploadPage', 'payouts.propose'),
  page('approvals', 'Approvals', () => import('#pages/drafts/approvals-page.tsx'), 'ApprovalsPage', 'payments.see'),
  page('approvals/$id', 'Payout draft', () => import('#pages/drafts/draft-page.tsx'), 'DraftPage', 'payments.see'),
  page(
    'recipients',
    'Recipients',
    () => import('#pages/recipients/recipients-page.tsx'),
    'RecipientsPage',
    'payments.see',
  ),
  page(
    'recipients/import',
    'Recipients from a file',
    () => import('#pages/upload/import-recipients-page.tsx'),
    'ImportRecipientsPage',
    'payouts.propose',
  ),
  page('deposits', 'Deposits', () => import('#pages/deposits/deposits-page.tsx'), 'DepositsPage', 'payments.see'),
  page(
    'deposits/$reference',
    'Deposit',
    () => import('#pages/deposits/deposit-page.tsx'),
    'DepositPage',
    'payments.see',
  ),
  page('customers', 'Customers', () => import('#pages/customers/customers-page.tsx'), 'CustomersPage', 'payments.see'),
  page(
    'customers/$reference',
    'Customer',
    () => import('#pages/customers/customer-page.tsx'),
    'CustomerPage',
    'payments.see',
  ),
  page(
    'accounts',
    'Virtual accounts',
    () => import('#pages/accounts/accounts-page.tsx'),
    'AccountsPage',
    'payments.see',
  ),
  page('accounts/$number', 'Account', () => import('#pages/accounts/account-page.tsx'), 'AccountPage', 'payments.see'),
  page('balance', 'Balance', () => import('#pages/statement/statement-page.tsx'), 'StatementPage', 'balance.see'),
  page('webhooks', 'Webhooks', () => import('#pages/webhooks/webhooks-page.tsx'), 'WebhooksPage', 'webhooks.see'),
  page('webhooks/$id', 'Subscription', () => import('#pages/webhooks/webhook-page.tsx'), 'WebhookPage', 'webhooks.see'),
  page(
    'deliveries',
    'Deliveries',
    () => import('#pages/deliveries/deliveries-page.tsx'),
    'DeliveriesPage',
    'webhooks.see',
  ),
  page(
    'deliveries/$id',
    'Delivery',
    () => import('#pages/deliveries/delivery-page.tsx'),
    'DeliveryPage',
    'webhooks.see',
  ),
  page('requests', 'Requests', () => import('#pages/requests/requests-page.tsx'), 'RequestsPage', 'requests.see'),
  page(
    'requests/$requestId',
    'Request',
    () => import('#pages/requests/request-page.tsx'),
    'RequestPage',
    'requests.see',
  ),
  page('keys', 'API keys', () => import('#pages/keys/keys-page.tsx'), 'KeysPage', 'keys.list'),
  page('simulator', 'Simulator', () => import('#pages/simulator/simulator-page.tsx'), 'SimulatorPage', 'simulator'),
  page('audit', 'Audit log', () => import('#pages/audit/audit-page.tsx'), 'AuditPage', 'audit.own'),
  page('operations', 'Operations', () => import('#pages/operations/operations-page.tsx'), 'OperationsPage'),
  page('team', 'Team', () => import('#pages/team/team-page.tsx'), 'TeamPage'),
  page('settings', 'Settings', () => import('#pages/settings/settings-page.tsx'), 'SettingsPage', 'settings.see'),
  page('profile', 'My profile', () => import('#pages/profile/profile-page.tsx'), 'ProfilePage'),
  page('go-live', 'Go live', () => import('#pages/go-live/go-live-page.tsx'), 'GoLivePage', 'go-live'),
]

function page<Module extends object>(
  path: string,
  title: string,
  load: () => Promise<Module>,
  name: keyof Module & string,
  permission?: Permission,
): PageRoute {
  const component = lazyRouteComponent(load as () => Promise<Record<string, never>>, name)
  return { path, title, component, ...(permission === undefined ? {} : { permission }) }
}

function route(parent: AnyRoute, { path, title, permission, component }: PageRoute): AnyRoute {
  return createRoute({
    getParentRoute: () => parent,
    path,
    component,
    staticData: { title, ...(permission === undefined ? {} : { permission }) },
  })
}

export function createRoutes(queries: QueryClient): AnyRouter {
  const root = createRootRoute({ component: WithOutage })
  const guard = createRoute({ getParentRoute: () => root, id: 'guard', component: Guard })
  const first = createRoute({
    getParentRoute: () => guard,
    path: '/',
    component: lazyRouteComponent(() => import('#shell/first-page.tsx'), 'FirstPage'),
  })
  const business = createRoute({
    getParentRoute: () => guard,
    path: 'b/$businessId/$environment',
    component: lazyRouteComponent(() => import('#shell/frame.tsx'), 'Frame'),
  })
  const tree = root.addChildren([
    ...outside.map((each) => route(root, each)),
    guard.addChildren([first, business.addChildren(inside.map((each) => route(business, each)))]),
  ])
  return createRouter({
    routeTree: tree,
    basepath: '/dashboard',
    context: { queries },
    parseSearch,
    stringifySearch: printSearch,
    defaultPreload: 'intent',
    defaultPendingComponent: SkeletonLines,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })
}
