// Package remote tests workers on other machines against a whole server: claims, sockets
// that break, histories of many runs, and what clients of other makes send. What they
// speak is internal/remote/wire, and who listens internal/remote.
package remote
