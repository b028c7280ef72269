// Tabs within a page. The address names the open tab: the page passes the tab in and handles the change.

import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

export type Tab = { value: string; label: string; panel: ReactNode }
type TabsProps = { label: string; value: string; onChange: (value: string) => void; tabs: Tab[] }

export function Tabs({ label, value, onChange, tabs }: TabsProps) {
  return (
    <Base.Root value={value} onValueChange={(next: unknown) => onChange(String(next))}>
      <Base.List aria-label={label} className={styles.list}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={styles.tab}>
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className={styles.panel}>
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
