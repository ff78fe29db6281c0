"""AIxSuture: OSATS ratings of students' open suturing."""
