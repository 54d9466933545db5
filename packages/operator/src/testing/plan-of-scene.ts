import { applyMergePatch } from '@portcullis/kube'
import { defaultAddressSettings } from '../addresses/settings.ts'
import { type PlanInput, plan } from '../plan/plan.ts'
import type { WantedController } from '../plan/simulation.ts'
import { listedFrom, settingsIn } from './listed-scene.ts'
import { newYear, type Scene } from './scene.ts'

/** What would come of it if the spec of the scene's controller were patched so. */
export function planOf(
  scene: Scene,
  spec: object,
  { more = {}, ...input }: Partial<PlanInput> & { more?: object } = {},
) {
  const wanted = applyMergePatch(scene.controller, { spec }) as unknown as WantedController
  return plan({
    objects: listedFrom(scene, more as Record<string, object[]>),
    wanted: [wanted],
    settings: settingsIn(scene),
    addresses: defaultAddressSettings,
    now: newYear,
    ...input,
  })
}

export const anIngress = (name: string, host: string, className = 'portcullis-edge') => ({
  metadata: { namespace: 'shop', name, uid: name, resourceVersion: '1' },
  spec: { ingressClassName: className, rules: [{ host }] },
})
