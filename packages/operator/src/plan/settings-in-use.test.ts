import { expect, test } from 'vitest'
import { defaultSettings } from '../ingress/settings.ts'
import { anIngressController } from '../testing/a-snapshot.ts'
import { listedFrom, settingsIn } from '../testing/listed-scene.ts'
import { settingsInUse } from './settings-in-use.ts'

test('The settings in use have image and memory limit from the routers, and the default domain from an IngressController without a domain', () => {
  const scene = anIngressController().on('AWS')
  scene.settings = {
    ...settingsIn(scene),
    routerImage: 'registry.example/router:7',
    routerCpuRequest: '500m',
    routerMemoryRequest: '1Gi',
    routerMemoryLimit: '3Gi',
    defaultDomain: 'apps.example',
  }
  scene.published()
  expect(settingsInUse(defaultSettings, listedFrom(scene))).toEqual({
    ...defaultSettings,
    routerImage: 'registry.example/router:7',
    routerCpuRequest: '500m',
    routerMemoryRequest: '1Gi',
    routerMemoryLimit: '3Gi',
    defaultDomain: 'apps.example',
  })
})

test('The settings in use are the given ones if nothing runs', () => {
  expect(settingsInUse(defaultSettings, {})).toEqual(defaultSettings)
})
