/** The agent that comes with the system, and answers requests about files. */
export const fileAgentName = 'file_agent';
