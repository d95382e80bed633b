//go:build cgo

package reading

// ownProcesses says whether a process that reads has a namespace of processes: it is built
// as this program is, and with cgo it could not wall itself in there; see sandbox.Config.
const ownProcesses = false
