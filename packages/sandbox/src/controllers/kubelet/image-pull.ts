import type { DeepReadonly } from '@portcullis/kube'
import type { Container, ContainerStatus } from 'kubernetes-types/core/v1'
import type { EventTexts } from '../component-events.ts'

/** Images that a Node neither has nor gets: `"example.com/router:1, example.com/web:2"`. */
export const missingImagesAnnotation = 'sandbox.portcullis.dev/missing-images'

export function missingImages(annotations: Readonly<Record<string, string>> = {}): ReadonlySet<string> {
  const names = (annotations[missingImagesAnnotation] ?? '').split(',').map((name) => name.trim())
  return new Set(names.filter((name) => name !== ''))
}

/** The kubelet tries again ever later; here always after the first of its delays. */
const retryMs = 10_000

/** A container that waits for an image that there is not: first the failure, then the wait for the next attempt. */
export function failedPull(
  { name, image = '' }: DeepReadonly<Container>,
  before: DeepReadonly<ContainerStatus> | undefined,
) {
  const error = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`
  const backOff = `Back-off pulling image "${image}"`
  const was = before?.state?.waiting?.reason
  if (before !== undefined && was === 'ImagePullBackOff')
    return { status: before, changed: false, requeueAfterMs: retryMs }
  const failed = (message: string): EventTexts => ({ type: 'Warning', reason: 'Failed', message })
  const [waiting, events]: [object, EventTexts[]] =
    was === 'ErrImagePull'
      ? [
          { reason: 'ImagePullBackOff', message: `${backOff}: ErrImagePull: ${error}` },
          [{ type: 'Normal', reason: 'BackOff', message: backOff }, failed('Error: ImagePullBackOff')],
        ]
      : [
          { reason: 'ErrImagePull', message: error },
          [
            { type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` },
            failed(`Failed to pull image "${image}": ${error}`),
            failed('Error: ErrImagePull'),
          ],
        ]
  return {
    status: waitingStatus(name, image, before, waiting),
    changed: true,
    events,
    requeueAfterMs: retryMs,
  }
}

/** A container whose turn has not come: the init containers are not through. */
export function waitsForInit({ name, image = '' }: DeepReadonly<Container>): DeepReadonly<ContainerStatus> {
  return waitingStatus(name, image, undefined, { reason: 'PodInitializing' })
}

function waitingStatus(
  name: string,
  image: string,
  before: DeepReadonly<ContainerStatus> | undefined,
  waiting: object,
): DeepReadonly<ContainerStatus> {
  const last = before?.state?.terminated ?? before?.lastState?.terminated
  return {
    name,
    image,
    imageID: '',
    restartCount: before?.restartCount ?? 0,
    lastState: last === undefined ? {} : { terminated: last },
    state: { waiting },
    ready: false,
    started: false,
  }
}
