/** The newest migration in prisma/migrations that this program was written for. */
export const SCHEMA_MIGRATION = "0003_standing_of_partitions";
