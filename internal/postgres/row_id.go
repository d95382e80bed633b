package postgres

import "math"

// rowID is the number of a row that a caller named. A number that no row can have is -1,
// which none has: cut to 32 bits it would be another row's.
func rowID(id int) int32 {
	if id < 0 || id > math.MaxInt32 {
		return -1
	}
	return int32(id)
}
