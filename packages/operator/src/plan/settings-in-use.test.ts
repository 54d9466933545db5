import { expect, test } from 'vitest'
import { defaultSettings } from '../ingress/settings.ts'
import { anIngressController } from '../testing/a-snapshot.ts'
import { listedFrom, settingsIn } from '../testing/listed-scene.ts'
import { settingsInUse } from './settings-in-use.ts'

test('routers tell their image and the limit of their memory, and a controller without a domain the default one', () => {
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

test('where nothing runs, what is said holds', () => {
  expect(settingsInUse(defaultSettings, {})).toEqual(defaultSettings)
})
