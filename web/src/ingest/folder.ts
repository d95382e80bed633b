/** A file with its path in the folder that was chosen or dropped; its name when it was not in one. */
export interface Dropped {
  file: File
  path: string
}

/** filesOf are the files of what was dropped, with those in folders at any depth. Hidden ones, whose name begins with a dot, are left out. It must be called before the event is over. */
export async function filesOf(items: Iterable<DataTransferItem>): Promise<Dropped[]> {
  const given = [...items].filter((i) => i.kind === 'file').map((i) => ({ entry: i.webkitGetAsEntry(), file: i.getAsFile() }))
  const found: Dropped[] = []
  for (const { entry, file } of given) {
    if (entry) await walk(entry, found)
    else if (file) found.push({ file, path: file.name }) // of what has no place in a file system
  }
  return found
}

/** chosen are the files of a field that takes files, or a folder. */
export const chosen = (files: Iterable<File>): Dropped[] =>
  [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter((f) => !f.path.split('/').some(isHidden))

const isHidden = (name: string) => name.startsWith('.')

async function walk(entry: FileSystemEntry, found: Dropped[]): Promise<void> {
  if (isHidden(entry.name)) return
  if (entry.isFile) {
    const file = await new Promise<File>((ok, fail) => (entry as FileSystemFileEntry).file(ok, fail))
    found.push({ file, path: entry.fullPath.replace(/^\//, '') })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // A reader gives a hundred entries at a time.
    const part = await new Promise<FileSystemEntry[]>((ok, fail) => reader.readEntries(ok, fail))
    if (part.length === 0) return
    for (const inner of part.sort((a, b) => (a.name < b.name ? -1 : 1))) await walk(inner, found)
  }
}
