import type { SandboxPlatform } from '@portcullis/sandbox'

/** What `--platform` of `sandbox` and `tour` takes, known without loading the sandbox; `satisfies` ensures that none is missing. */
export const sandboxPlatforms = Object.keys({
  AWS: true,
  Azure: true,
  GCP: true,
  IBMCloud: true,
  PowerVS: true,
  OpenStack: true,
  BareMetal: true,
} satisfies Record<SandboxPlatform, true>)

/** The sandbox is a module of its own, loaded only here: the operator's image does not contain it. */
export async function loadSandbox(): Promise<typeof import('@portcullis/sandbox')> {
  try {
    return await import('@portcullis/sandbox')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      'The operator image does not contain the sandbox; run this command from a checkout: npm start, or npx portcullis tour.',
      { cause: error },
    )
  }
}
