// Package node has the contenders that run on Node.js, for bench/dispatch.
package node

import "embed"

// Files are the scripts and what they depend on.
//
//go:embed package.json graphile-worker.mjs pg-boss.mjs
var Files embed.FS
