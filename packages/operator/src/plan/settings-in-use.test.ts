import { expect, test } from 'vitest'
import { defaultSettings } from '../ingress/settings.ts'
import { anIngressController } from '../testing/a-snapshot.ts'
import { listedFrom, settingsIn } from '../testing/listed-scene.ts'
import { settingsInUse } from './settings-in-use.ts'

test('settingsInUse reads image and memory limit from the routers, and the default domain from an IngressController without a domain', () => {
  const scene = anIngressController().on('AWS')
  scene.settings = {
    ...settingsIn(scene),
    routerImage: 'registry.example/router:7',
    routerMemoryLimit: '3Gi',
    defaultDomain: 'apps.example',
  }
  scene.published()
  expect(settingsInUse(defaultSettings, listedFrom(scene))).toEqual({
    ...defaultSettings,
    routerImage: 'registry.example/router:7',
    routerMemoryLimit: '3Gi',
    defaultDomain: 'apps.example',
  })
})

test('settingsInUse keeps the given settings if nothing runs', () => {
  expect(settingsInUse(defaultSettings, {})).toEqual(defaultSettings)
})
