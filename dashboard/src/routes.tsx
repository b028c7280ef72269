// Every route on one screen: its path, the file of its page, its title, and the permission without which it is not shown.

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

/** Pages that a stranger sees. */
const outside: PageRoute[] = [
  page('sign-in', 'Sign in', () => import('#pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
  page('sign-in/code', 'Sign in', () => import('#pages/sign-in/code-page.tsx'), 'CodePage'),
  page('welcome', 'Welcome', () => import('#pages/links/welcome-page.tsx'), 'WelcomePage'),
  page('invitation', 'Invitation', () => import('#pages/links/invitation-page.tsx'), 'InvitationPage'),
  page('reset', 'New password', () => import('#pages/links/reset-page.tsx'), 'ResetPage'),
]

/** Pages of a business in an environment, below `/b/{businessId}/{environment}`. */
const inside: PageRoute[] = [
  page('/', 'Home', () => import('#pages/home/home-page.tsx'), 'HomePage'),
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
  const root = createRootRoute()
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
