package serve

import "testing"

func TestMachineResources(t *testing.T) {
	r := machineResources(t.TempDir())
	if r == nil || r.CPU < 0 || r.CPU > 100 || r.Memory <= 0 || r.Memory > 100 || r.Disk <= 0 || r.Disk > 100 {
		t.Errorf("%+v", r)
	}
	if percent(1.7) != 100 || percent(-1) != 0 || percent(0.1234) != 12.3 {
		t.Error("shares are not shown as they are")
	}
}
