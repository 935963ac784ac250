/*
 * cmd - what every command is given and returns. Each command is one file with
 * one function of this kind, a row in main.c's table and a manual page beside
 * it; argv begins after the command's name.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

/* What the shell sees; never mixed. */
enum exit_status {
	EXIT_PASS = 0,    /* the network does what was asked of it */
	EXIT_FAIL = 1,    /* it does not */
	EXIT_UNKNOWN = 2, /* we could not find out */
};

/* The status of what could not be told to its end: a failure stays one. */
static inline int exit_untold(int status)
{
	return status == EXIT_FAIL ? EXIT_FAIL : EXIT_UNKNOWN;
}

int cmd_accept(int argc, char **argv);
int cmd_audit(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_burst(int argc, char **argv);
int cmd_bw(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_discover(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_incast(int argc, char **argv);
int cmd_pcap(int argc, char **argv);
int cmd_lat(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_ring(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_watch(int argc, char **argv);

#endif
