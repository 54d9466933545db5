import { type Client, ConfigMap, isNotFound, kind, type ObjectRef } from '@portcullis/kube'
import type { Service as CoreService } from 'kubernetes-types/core/v1'
import { expect } from 'vitest'

export const Service = kind<CoreService>('v1', 'Service')

export async function isGone(client: Client, ref: ObjectRef): Promise<void> {
  await expect(client.get(ConfigMap, ref)).rejects.toSatisfy(isNotFound)
}
