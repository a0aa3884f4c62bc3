/** Ends a command: the dispatcher prints the message to stderr and exits with the code. */

/** 0 ok, 1 failure, 2 wrong use. */
export type ExitCode = 0 | 1 | 2;

export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;

  private constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }

  /** The command line is wrong; the message names the flag and the remedy. */
  static usage(message: string): CommandError {
    return new CommandError(2, message);
  }

  /** What was asked for could not be done. */
  static failure(message: string): CommandError {
    return new CommandError(1, message);
  }
}
