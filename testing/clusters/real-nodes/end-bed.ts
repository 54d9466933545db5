/** The hierarchies of the first version of cgroups in which every node has a group of its own. */
export const hierarchies = [
  'cpu',
  'cpuacct',
  'cpuset',
  'memory',
  'devices',
  'freezer',
  'blkio',
  'pids',
  'systemd',
] as const

export const cgroupRoot = '/sys/fs/cgroup'

/**
 * Ends a bed, whoever runs this: the process that made it, the shell that waits for the death of that process, or the next
 * start, which finds what a dead one left. All processes are in cgroups of the bed's own, so nothing else can be hit; network
 * namespaces and mounts end with the last process in them. Arguments: the name of the cgroups, and the directory.
 */
export const endBed = `
name=$1 directory=$2
[ -n "$name" ] && [ -n "$directory" ] || exit 2
tries=0
while [ $tries -lt 200 ]; do
  pids=$(find ${cgroupRoot}/pids/"$name" -name cgroup.procs -exec cat {} + 2>/dev/null)
  [ -z "$pids" ] && break
  kill -KILL $pids 2>/dev/null
  sleep 0.05
  tries=$((tries + 1))
done
for hierarchy in ${hierarchies.join(' ')}; do
  group=${cgroupRoot}/$hierarchy/$name
  tries=0
  while [ -d "$group" ] && [ $tries -lt 50 ]; do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
    [ -d "$group" ] && sleep 0.1
    tries=$((tries + 1))
  done
done
rm -rf "$directory" 2>/dev/null || { sleep 1; rm -rf "$directory"; }
`

/** Waits for the end of its input, which the kernel closes when the process that made the bed is gone, and ends the bed. */
export const endBedWhenInputEnds = `while read -r line; do [ "$line" = over ] && exit 0; done\n${endBed}`

/** Puts the shell that runs it, and what that becomes, into the bed's cgroup in one hierarchy, then becomes the rest of its arguments. */
export const enterCgroup = 'echo $$ > "$0" && exec "$@"'
