/** A small file system in memory that stands in for a disk. Mounting it takes root. */
import { spawnSync } from 'node:child_process'
import { newDirectory } from './process.ts'

/** Mounts an empty disk on a folder. @throws Error if the system refuses. */
export function mountDisk(folder: string, bytes: number): void {
  const { status, stderr } = mount(folder, bytes)
  if (status !== 0) throw new Error(`mount: ${stderr}`)
}

export function unmountDisk(folder: string): void {
  spawnSync('umount', ['--lazy', folder])
}

const mount = (folder: string, bytes: number) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { encoding: 'utf8' })

const probe = await newDirectory()
export const canMount = mount(probe, 2 ** 16).status === 0
if (canMount) unmountDisk(probe)

/** For the titles of tests that need a disk: why they are skipped; empty if they are not. */
export const whyNoDisk = canMount ? '' : ', skipped: only root can mount a file system'
