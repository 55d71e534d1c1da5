#ifndef SYSTEM_CALL_FAULTS_H
#define SYSTEM_CALL_FAULTS_H

// Stands between a program and the system calls that change files, or those that read them, to make one of them fail, or be the
// last thing the process does. Linked into a program, it serves the libraries the program uses as well. As a shared library it is preloaded:
//
//     cc -shared -fPIC -o faults.so Tests/SystemCallFaults/faults.c -ldl
//     FAULTS_PATH=/tmp/stores FAULTS_AT=17 FAULTS_ERRNO=28 LD_PRELOAD=./faults.so PROGRAM
//
// FAULTS_ERRNO is the number of an error, `kill`, or `short` for a write of half the bytes; with FAULTS_COUNT=FILE the number of
// calls is written to that file when the process ends.

/// What becomes of the call.
enum faults_kind { FAULTS_KILL = -1, FAULTS_SHORT = -2 };

/// Counts calls on files whose path contains `path` from now on, and lets number `at` fail with the error `kind`, or in one of
/// the ways above. 0 for `at` only counts.
void faults_arm(const char *path, long at, int kind);

/// Does the same with calls that read, open, lock or ask about files, none of which changes one. With `stays` number `at` and all
/// after it fail, but for locks.
void faults_arm_reads(const char *path, long at, int kind, int stays);

/// How many calls there have been since.
long faults_count(void);

#endif
