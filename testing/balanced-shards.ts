import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The seconds that long files take, about: see `balancedShards`. Any other counts as a few. */
const seconds: Readonly<Record<string, number>> = {
  'testing/nodes/bed.test.ts': 100,
  'testing/nodes/change-strategy.test.ts': 330,
  'testing/nodes/conditions.test.ts': 95,
  'testing/nodes/follow-operate-guide.test.ts': 190,
  'testing/nodes/host-ports.test.ts': 330,
  'testing/nodes/install-both-ways.test.ts': 220,
  'testing/nodes/install-broken-image.test.ts': 85,
  'testing/nodes/leader.test.ts': 110,
  'testing/nodes/maintenance.test.ts': 330,
  'testing/nodes/memory.test.ts': 60,
  'testing/nodes/node-death.test.ts': 130,
  'testing/nodes/strategies.test.ts': 90,
}
const otherwise = 40

/** Deals files to shards that take about as long as each other: the longest first, each to the shard that has least to do. */
export function balancedShards(
  files: readonly string[],
  count: number,
  secondsOf: (file: string) => number,
): readonly (readonly string[])[] {
  const shards = Array.from({ length: count }, () => ({ files: [] as string[], seconds: 0 }))
  const longestFirst = [...files].sort((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1))
  for (const file of longestFirst) {
    const shard = shards.reduce((least, each) => (each.seconds < least.seconds ? each : least))
    shard.files.push(file)
    shard.seconds += secondsOf(file)
  }
  return shards.map((shard) => shard.files)
}

/** Vitest's own order, but for `--shard`: it deals by hashes of names, however long the files take. */
export class BalancedSequencer extends BaseSequencer {
  override async shard(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, shard } = this.ctx.config
    if (shard === undefined) return specifications
    const nameOf = ({ moduleId }: TestSpecification) => moduleId.slice(root.length + 1)
    const shards = balancedShards(
      specifications.map(nameOf),
      shard.count,
      (file) => seconds[file] ?? otherwise,
    )
    const own = new Set(shards[shard.index - 1])
    return specifications.filter((specification) => own.has(nameOf(specification)))
  }
}
