// A dialog or a tooltip whose code loads when it first opens. If the code does not load, because the service is away or
// was updated, the dialog or tooltip closes again and the page stays. With React.lazy, an error would replace the page,
// and its input would be lost.

import { createElement, useEffect, useEffectEvent, useState, type ComponentType } from 'react'
import { useSay } from './say.ts'

export function later<Props extends { onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Later(props) {
    const [isLoaded, setLoaded] = useState(loaded !== undefined)
    const say = useSay()
    const end = useEffectEvent((part: ComponentType<Props> | undefined) => {
      loaded = part
      if (part !== undefined) return setLoaded(true)
      say('This part of the page could not be loaded. Try again, or reload the page.')
      props.onClose()
    })
    useEffect(() => {
      if (isLoaded) return undefined
      let isWanted = true
      load().then(
        (part) => (isWanted ? end(part) : undefined),
        () => (isWanted ? end(undefined) : undefined),
      )
      return () => void (isWanted = false)
    }, [isLoaded])
    return loaded === undefined || !isLoaded ? null : createElement(loaded, props)
  }
}
