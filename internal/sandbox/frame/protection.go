package frame

import (
	"slices"
	"strings"
)

// Protections of child processes that many systems do not offer, and without which the
// others hold: what their names begin with.
const (
	MemoryGroup   = "memory limit of a control group"
	OtherUser     = "another user"
	LandlockScope = "landlock of" // other things than files
)

// LacksProtection reports that one of the protections that are not in force is one which
// every system should offer. Few delegate a control group, kernels learn of more that can be
// kept from a process, and only root can give a process another user; the other protections
// hold without.
func LacksProtection(notInForce []string) bool {
	return slices.ContainsFunc(notInForce, func(missing string) bool {
		for _, rare := range []string{MemoryGroup, OtherUser, LandlockScope} {
			if strings.HasPrefix(missing, rare) {
				return false
			}
		}
		return true
	})
}

// MemoryWatch is the protection of child processes whose memory their server looks at.
const MemoryWatch = "watch of memory"
