/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/verdict.h"

enum verdict report_verdict(const struct run *run, const struct findings *findings)
{
	enum verdict verdict = findings_verdict(findings);
	bool interrupted = false;

	if (run_ended(run, &interrupted) && !interrupted)
		return verdict;
	return verdict == VERDICT_FAIL ? VERDICT_FAIL : VERDICT_UNKNOWN;
}

int report_exit_status(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
	case VERDICT_WARN:
		return 0;
	case VERDICT_FAIL:
		return 1;
	case VERDICT_UNKNOWN:
		break;
	}
	return 2;
}
